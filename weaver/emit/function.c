/* function.c - the text around a body: the frame before it, entries and tables after it.
 *
 * Purpose: the user's definition becomes the body, static, under its own name, so that __func__,
 * debuggers and profilers show it:
 *
 *     struct relay__frame { co4_frame head; … };
 *     static const co4_abi_func relay__func;
 *     int relay__co4(co4_fiber *co4, …);
 *     static inline __attribute__((always_inline)) int
 *     relay(co4_fiber *co4, struct relay__frame *co4_f, const int co4_resumed, …) { prelude, text }
 *     int relay__co4(…) { return relay(co4, 0, 0, …); }            the direct entry
 *     static void relay__resume(…) { … relay(co4, f, 1, 0…) … }    the resume entry
 *     static const co4_abi_func relay__func = { … };
 *
 * With one body (--entry=single) the body is relay__co4 itself where possible; the resume entry
 * leaves the frame in the fiber. Single bodies of one type share a resume entry, which finds the
 * body in point 0. A dual function (pausable_or_plain) also has a plain entry, which
 * gets the user's name; its body is relay__body:
 *
 *     int relay(…) { … relay__co4(co4, …) … }                      like co4_run(relay(…))
 *
 * Headers: header.c. */
#include <string.h>

#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "emit/emit.h"
#include "passes/passes.h"
#include "text/unit.h"

/* Is its single body also the direct entry, which finds in the fiber that it is resumed? Not if
 * there is work before or after the body, nor if a resume could not call it with its declared
 * parameters. */
static bool is_its_own_entry(const cw_unit *unit, const cw_func *func)
{
    if (func->npoints == 0 || func->takes_frame || func->variadic || func->single || func->strict ||
        func->decl->inside || func->old_style /* its entry takes promoted arguments */ ||
        !unit->gnu || !func->one_body)
        return false;
    for (size_t i = 0; i < func->nparams; i++)
        if (func->params[i]->kept_lengths || func->params[i]->sized ||
            func->params[i]->in_brackets) /* its const would be kept */
            return false;
    return true;
}

/* Is the function's name used for something else where its body is defined or called: by the plain
 * function or a parameter? */
static bool is_name_taken(const cw_unit *unit, const cw_func *func)
{
    bool taken = func->decl->dual || is_its_own_entry(unit, func);
    for (size_t i = 0; i < func->nparams; i++)
        taken |= strcmp(func->params[i]->name, func->decl->name) == 0;
    return taken;
}

static const char *body_name(cw_unit *unit, const cw_func *func)
{
    if (is_its_own_entry(unit, func))
        return cw_woven_name(unit, func->decl);
    return is_name_taken(unit, func) ? cw_format(&unit->arena, "%s__body", func->decl->name)
                                     : func->decl->name;
}

/* A static dual function may be called by pausable code only, or by plain code only. */
static const char *unused(const cw_unit *unit, const cw_func *func)
{
    return func->decl->dual && func->decl->is_static && unit->gnu ? "__attribute__((unused)) " : "";
}

/* ---- before the body ---- */

/* Writes a file name into a comment. It may contain the end of a comment. */
static void put_in_comment(const char *text, cw_buf *out)
{
    for (; *text != '\0'; text++) {
        bool ends = (text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*');
        cw_printf(out, ends ? "%c " : "%c", *text == '\n' || *text == '\\' ? ' ' : *text);
    }
}

static void put_frame(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const char *name = func->decl->name;
    cw_place place = cw_place_of(unit, func->begin);
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s__frame { /* ", name);
    put_in_comment(cw_file_name(unit, place.file), out);
    cw_printf(out, ":%u %s() */\n    co4_frame head;\n", place.line, name);
    for (size_t i = 0; i < func->nfields; i++) {
        const cw_local *local = func->fields[i];
        unsigned how = CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED |
                       (local->pausable ? CW_WRITE_PAUSABLE : 0);
        if (local->zone > 0)
            cw_printf(out, "    unsigned char co4_z%zu[%u]; /* red zone */\n", i, local->zone);
        cw_puts(out, "    ");
        if (local->bytes || local->align > local->type->align)
            cw_printf(out, "_Alignas(%u) ", local->align);
        if (local->bytes)
            cw_printf(out, "unsigned char %s[%u];", local->field, local->size);
        else
            cw_printf(out, "%s;", cw_type_write(unit, local->type, local->field, how));
        const char *what = local->is_temp    ? "a value kept"
                           : local->is_param ? "parameter"
                                             : "local";
        cw_printf(out, " /* %s%s%s */\n", what, local->pinned ? ", pinned: " : "",
                  local->pinned ? local->why_pinned : "");
    }
    if (func->last_zone > 0)
        cw_printf(out, "    unsigned char co4_z%zu[%u]; /* red zone */\n", func->nfields,
                  func->last_zone);
    cw_puts(out, "};\n");
    cw_layout_end(unit, out);
    cw_printf(out,
              "_Static_assert(sizeof(struct %s__frame) == %u, \"co4weave: the frame of %s has "
              "another size; \"\n",
              name, func->frame_bytes, name);
    cw_puts(out, "               \"was this text woven for another target?\");\n");
    cw_printf(out,
              "struct %s__func { co4_abi_func func; co4_abi_point points[%u]; };\n"
              "static const struct %s__func %s__func;\n",
              name, cw_table_entries(func), name, name);
}

static const char *body_inline(const cw_unit *unit, const cw_func *func)
{
    if (func->one_body)
        return unit->gnu ? "static __attribute__((noinline)) " : "static ";
    if (func->apart)
        return "static ";
    return unit->gnu ? "static __inline__ __attribute__((always_inline)) " : "static inline ";
}

static void put_param_lengths(cw_unit *unit, const cw_decl *param, cw_buf *out)
{
    for (size_t i = 0; i < param->nlengths; i++) {
        cw_printf(out, "%s = ", cw_local_ref(unit, param->lengths[i].local));
        cw_put_param_size(unit, param->lengths[i].size, out);
        cw_puts(out, "; ");
    }
}

/* Copies arguments to the frame. */
static void put_pinned_parameters(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    for (size_t i = 0; i < func->nlocals; i++) {
        const cw_local *local = func->locals[i];
        if (!local->is_param || !local->pinned)
            continue;
        cw_puts(out, " ");
        put_param_lengths(unit, local->decl, out);
        if (local->decl->kept_lengths)
            cw_printf(out, "co4_abi_copy(&co4_f->%s, &%s, sizeof co4_f->%s);", local->field,
                      local->decl->name, local->field);
        else
            cw_put_assign(unit, local->type, cw_local_ref(unit, local), local->decl->name, out);
    }
}

/* Writes the prelude in the line of the function's name, where compilers place the code at entry.
 * The line of the brace often has no code, or has a statement after the brace. */
static void put_prelude(cw_unit *unit, const cw_header *h, cw_buf *out)
{
    const cw_func *func = h->func;
    if (func->npoints == 0) {
        cw_puts(out, func->variadic ? " (void)co4; (void)co4_va;" : " (void)co4;");
        return;
    }
    cw_marker_to(unit, h->name_at, out);
    if (func->variadic)
        cw_puts(out, "(void)co4_va; ");
    if (func->counts)
        cw_puts(out, "__attribute__((cleanup(co4_abi_counted))) co4_abi_counter co4_n = { co4, "
                     "co4->reductions }; ");
    bool own = is_its_own_entry(unit, func), restores = false;
    for (size_t i = 0; i < func->nlocals; i++)
        restores |= func->locals[i]->at_entry;
    if (func->shares_saves)
        cw_puts(out, "unsigned co4_at; ");
    if (func->catches_throws)
        cw_puts(out, "co4_abi_catch co4_catch; ");
    if (func->catches != NULL)
        cw_put_catch(unit, func, out);
    if (own)
        cw_printf(out,
                  "struct %s__frame *co4_f = 0; const int co4_resumed = co4->pausing != 0; "
                  "if (__builtin_expect(co4_resumed, 0)) { co4_f = (struct %s__frame *)(void "
                  "*)co4->leaf; co4->pausing = 0; ",
                  func->decl->name, func->decl->name);
    else if (func->resumer != NULL)
        cw_printf(out, "struct %s__frame *co4_f = (struct %s__frame *)(void *)co4_own; ",
                  func->decl->name, func->decl->name);
    if (func->catches != NULL)
        cw_puts(out, "if (co4_resumed) { co4_land:; ");
    else if (!own)
        cw_puts(out, restores ? "if (co4_resumed) { " : "if (co4_resumed) ");
    for (size_t i = 0; i < func->nlocals; i++)
        if (func->locals[i]->at_entry) {
            cw_put_copy(unit, func->locals[i], false, out);
            cw_puts(out, " ");
        }
    cw_puts(out, "switch (co4_f->head.at->id) {");
    for (size_t i = 0; i < func->npoints; i++)
        cw_printf(out, " case %u: goto co4_resume_%u;", func->points[i]->entry,
                  func->points[i]->id);
    cw_puts(out, unit->gnu ? " default: __builtin_unreachable(); }" : " }");
    cw_puts(out, own || restores || func->catches != NULL ? " }" : "");
    if (func->frame_after == NULL)
        put_pinned_parameters(unit, func, out);
}

/* Poisons the red zones, right after the frame is taken. */
static void put_guards(const cw_func *func, cw_buf *out)
{
    for (size_t i = 0; i <= func->nfields; i++)
        if (i < func->nfields ? func->fields[i]->zone > 0 : func->last_zone > 0)
            cw_printf(out, " co4_abi_guard(co4_f->co4_z%zu, sizeof co4_f->co4_z%zu);", i, i);
}

/* Copies the variable arguments, where the frame has been taken. `late`: in the body. */
static void put_kept_args(cw_unit *unit, const cw_func *func, bool late, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    if (func->args == NULL)
        return;
    cw_printf(out,
              " co4_f->%s = co4_abi_args_keep(co4, co4_va); if (co4_f->%s == 0) { "
              "co4_abi_frame_drop(co4, co4_f); %s%s }",
              func->args->field, func->args->field, late ? "*co4_taken = 0; " : "",
              cw_return_zero(unit, result));
}

/* Takes the frame of a function that does so in the middle of its body. */
static void put_late_frame(cw_unit *unit, const cw_func *func)
{
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    uint32_t at = func->frame_after->end;
    cw_buf buf = { 0 };
    cw_marker_to(unit, func->frame_after->begin, &buf);
    cw_printf(&buf,
              "if (!co4_resumed) { *co4_taken = co4_f = co4_abi_frame_take(co4, &%s__func.func); "
              "if (co4_f == 0) %s",
              func->decl->name, cw_return_zero(unit, result));
    put_guards(func, &buf);
    put_kept_args(unit, func, true, &buf);
    put_pinned_parameters(unit, func, &buf);
    cw_puts(&buf, " }");
    cw_marker_to(unit, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_take(&unit->arena, &buf));
}

/* ---- after the body ---- */

static void put_arguments(const cw_func *func, cw_buf *out)
{
    for (size_t i = 0; i < func->nparams; i++)
        cw_printf(out, ", %s", func->params[i]->name);
    if (func->variadic)
        cw_puts(out, ", co4_va");
}

/* What ends an activation, before its frame is dropped. `frame` is a pointer to it. */
static const char *end_of_activation(cw_unit *unit, const cw_func *func, const char *frame)
{
    const char *jumps = "", *args = "";
    if (func->jumps != NULL)
        jumps = cw_format(&unit->arena, "co4_abi_jumps_end(&%s->%s); ", frame, func->jumps->field);
    if (func->args != NULL)
        args = cw_format(&unit->arena, "co4_abi_args_drop(%s->%s); ", frame, func->args->field);
    return cw_format(&unit->arena, "%s%s", jumps, args);
}

static void put_direct_entry(cw_unit *unit, const cw_func *func, const cw_header *h, cw_buf *out)
{
    const char *name = func->decl->name;
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    bool is_void = cw_type_is_void(result);
    const char *enter = func->decl->inside ? "co4_abi_enter(); " : "";
    const char *leave = func->decl->inside ? " co4_abi_leave();" : "";
    const char *kept = is_void ? "" : cw_type_write(unit, result, "co4_r", 0);
    cw_header_put(unit, h, unused(unit, func), cw_woven_name(unit, func->decl), "co4_fiber *co4",
                  CW_HEADER_ENTRY, out);
    cw_marker_to(unit, h->name_at, out);
    cw_puts(out, "{ ");
    if (func->takes_frame) {
        bool late = func->frame_after != NULL;
        if (late) {
            cw_printf(out, "struct %s__frame *co4_f = 0; ", name);
        } else {
            cw_printf(out,
                      "struct %s__frame *co4_f = co4_abi_frame_take(co4, &%s__func.func); "
                      "if (co4_f == 0) %s",
                      name, name, cw_return_zero(unit, result));
            put_guards(func, out);
            put_kept_args(unit, func, false, out);
            cw_puts(out, " ");
        }
        cw_printf(out, "%s%s%s", enter, kept, is_void ? "" : " = ");
        cw_printf(out, "%s(co4, %sco4_f, 0%s", body_name(unit, func),
                  func->resumer != NULL ? "(co4_frame *)(void *)" : "", late ? ", &co4_f" : "");
        put_arguments(func, out);
        const char *ends = end_of_activation(unit, func, "co4_f");
        cw_printf(out, "); if (%s!co4_abi_pausing(co4)) %s%sco4_abi_frame_drop(co4, co4_f);%s",
                  late ? "co4_f != 0 && " : "", *ends != '\0' ? "{ " : "", ends,
                  *ends != '\0' ? " }" : "");
        cw_printf(out, "%s%s }\n", leave, is_void ? "" : " return co4_r;");
        return;
    }
    bool keeps = func->decl->inside && !is_void;
    cw_printf(out, "%s%s%s", enter, keeps ? kept : "", keeps ? " = " : is_void ? "" : "return ");
    cw_printf(out, "%s(co4%s", body_name(unit, func), func->npoints > 0 ? ", 0, 0" : "");
    put_arguments(func, out);
    cw_printf(out, ");%s%s }\n", leave, keeps ? " return co4_r;" : "");
}

/* ---- shared resume entries ---- */

/* Is it called as its type says, so that another function's resume entry can call it? */
static bool may_share_resume(cw_unit *unit, const cw_func *func)
{
    static const char conventions[] =
        "ms_abi sysv_abi stdcall fastcall thiscall regparm cdecl vectorcall regcall sseregparm "
        "aarch64_vector_pcs pcs interrupt target";
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    bool may = func->one_body && func->catches == NULL && func->npoints > 0 && unit->gnu &&
               (unit->for_size || unit->for_time) && func->frame_after == NULL && !func->variadic &&
               !func->strict && !func->old_style && !cw_type_is_wide(result) &&
               cw_type_bare(result)->kind != CW_T_RECORD;
    for (size_t i = 0; i < func->nparams && may; i++)
        may = cw_type_bare(func->params[i]->type)->kind != CW_T_RECORD &&
              !func->params[i]->kept_lengths && !func->params[i]->sized;
    return may && !cw_has_attribute(unit, func->decl, conventions);
}

void cw_share_resumes(cw_unit *unit)
{
    cw_names types = { 0 }; /* the number: 1 + the index of the first function of the type */
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!func->pausable || !may_share_resume(unit, func))
            continue;
        cw_buf key = { 0 };
        cw_puts(&key, is_its_own_entry(unit, func) ? "" : "body ");
        cw_puts(&key, cw_type_write(unit, cw_type_unqualified(unit, func->decl->type->inner), "",
                                    CW_WRITE_FILE_SCOPE));
        for (size_t k = 0; k < func->nparams; k++)
            cw_printf(&key, ", %s",
                      cw_type_write(unit, func->params[k]->type, "", CW_WRITE_FILE_SCOPE));
        size_t length = key.length;
        cw_name *type = cw_names_add(&types, cw_take(&unit->arena, &key), length);
        if (type->number == 0) {
            type->number = (unsigned)i + 1;
            continue;
        }
        func->resumer = unit->funcs[type->number - 1];
        func->resumer->resumer = func->resumer;
    }
    cw_names_free(&types);
}

static const char *resume_name(cw_unit *unit, const cw_func *func)
{
    const cw_func *of = func->resumer != NULL ? func->resumer : func;
    return cw_format(&unit->arena, "%s__resume", of->decl->name);
}

static void put_resume_entry(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const char *name = func->decl->name;
    const cw_type *result = cw_type_unqualified(unit, func->decl->type->inner);
    bool is_void = cw_type_is_void(result), wide = cw_type_is_wide(result);
    cw_printf(out, "static void %s(co4_fiber *co4, co4_frame *co4_head) { ",
              resume_name(unit, func));
    if (func->resumer != NULL)
        cw_printf(out,
                  "__typeof__(%s) *co4_body = "
                  "(__typeof__(%s) *)(void (*)(void))(co4_head->at - co4_head->at->id)->resume; ",
                  body_name(unit, func), body_name(unit, func));
    if (wide)
        cw_puts(out, "const co4_frame *co4_caller = co4_head->caller; ");
    if (!is_void)
        cw_printf(out, "%s = ", cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
    bool own = is_its_own_entry(unit, func);
    if (own)
        cw_printf(out, "(co4->leaf = co4_head, co4->pausing = 1, %s(co4",
                  func->resumer != NULL ? "co4_body" : body_name(unit, func));
    else if (func->resumer != NULL)
        cw_puts(out, "co4_body(co4, co4_head, 1");
    else
        cw_printf(out, "%s(co4, (struct %s__frame *)(void *)co4_head, 1%s", body_name(unit, func),
                  name, func->frame_after != NULL ? ", 0" : "");
    for (size_t i = 0; i < func->nparams; i++)
        cw_printf(out, ", %s", cw_zero(unit, func->params[i]->type));
    cw_puts(out, func->variadic ? ", 0" : "");
    cw_printf(out, ")%s; if (co4_abi_pausing(co4)) return;", own ? ")" : "");
    cw_printf(
        out, " %s",
        end_of_activation(unit, func,
                          cw_format(&unit->arena, "((struct %s__frame *)(void *)co4_head)", name)));
    cw_puts(out, "co4_abi_frame_drop(co4, co4_head);");
    if (!is_void) {
        cw_puts(out, " ");
        cw_put_assign(
            unit, result,
            cw_result_place(unit, result, wide ? "co4_caller" : NULL, CW_WRITE_FILE_SCOPE), "co4_r",
            out);
    }
    cw_puts(out, " }\n");
}

/* Writes the actions for the locals alive at each point, for a frame that is abandoned there. Names
 * are those of file scope. */
static void put_unwind_entry(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const char *name = func->decl->name;
    cw_printf(out, "static void %s__unwind(co4_frame *co4_head) { struct %s__frame *co4_f = ", name,
              name);
    cw_printf(out, "(struct %s__frame *)(void *)co4_head; switch (co4_f->head.at->id) {", name);
    for (size_t p = 0; p < func->npoints; p++) {
        const cw_point *point = func->points[p];
        cw_printf(out, " case %u:", point->entry);
        for (size_t i = func->ncleanups; i-- > 0;) {
            const cw_local *local = func->cleanups[i]->decl->as_local;
            if (!cw_is_alive(func->cleanups[i], point->at))
                continue;
            bool block = local->seen != NULL && cw_type_bare(local->seen)->kind == CW_T_VLA;
            if (local->decl->cleanup != NULL && strncmp(local->decl->cleanup, "co4_", 4) != 0)
                cw_puts(out, " if (co4_head->caller != co4_head)"); /* as longjmp does in C */
            if (local->decl->cleanup != NULL)
                cw_printf(out,
                          local->bytes ? " %s((void *)co4_f->%s);"
                          : block      ? " %s(co4_f->%s);"
                                       : " %s(&co4_f->%s);",
                          local->decl->cleanup, local->field);
            if (block)
                cw_printf(out, " co4_abi_block_drop(co4_f->%s);", local->field);
        }
        cw_puts(out, " break;");
    }
    cw_printf(out, " } %s}\n", end_of_activation(unit, func, "co4_f"));
}

/* Offset after the `__label__` declarations (GNU), which must come first in the body. */
static uint32_t after_label_declarations(const cw_unit *unit, const cw_func *func)
{
    uint32_t at = func->body_at + 1;
    for (;;) {
        uint32_t next = cw_skip_blank(unit, at);
        if (strncmp(unit->text + next, "__label__", 9) != 0 || cw_is_word(unit->text[next + 9]))
            return at;
        while (unit->text[next] != ';')
            next = cw_skip_unit(unit, next);
        at = next + 1;
    }
}

/* The body of a dual function has another name than the user's; each body has other parameters. */
void cw_function_edits(cw_unit *unit, cw_func *func)
{
    static const char names[] = "__func__ __FUNCTION__ __PRETTY_FUNCTION__ __builtin_FUNCTION";
    bool taken = is_name_taken(unit, func);
    for (uint32_t at, end = func->body_at;
         (taken || func->pretty != NULL) && cw_next_word(unit, &at, &end, func->end);) {
        if (!cw_lists(names, unit->text + at, end - at))
            continue;
        bool pretty = func->pretty != NULL && unit->text[at + 2] == 'P';
        if (!taken && !pretty)
            continue;
        if (unit->text[at + 2] == 'b') /* the last is written as a call */
            end = cw_skip_group(unit, cw_skip_blank(unit, end));
        cw_edit_add(unit, &unit->small, at, end,
                    cw_format(&unit->arena, pretty ? "%s__pretty" : "%s__name", func->decl->name));
        func->named |= !pretty;
    }
    if (func->decl->dual &&
        strcmp(func->decl->name, "main") == 0 && /* only the plain entry ends in 0 by itself */
        !cw_type_is_void(func->decl->type->inner))
        /* in the place of its brace: behind what is added at the end of the last statement */
        cw_edit_add(unit, &unit->large, func->end - 1, func->end, " return 0; }");
}

/* A type that the header defines for the result is defined before everything else: the header is
 * written several times. */
static void put_result_type(cw_unit *unit, const cw_header *h, cw_buf *out)
{
    size_t i;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= h->begin);
    uint32_t behind = 0; /* a type inside another type's definition is part of that text */
    for (; i < unit->ntags && unit->tags[i]->begin < h->name_at; i++) {
        cw_tag *tag = unit->tags[i];
        if (tag->end <= tag->begin || tag->begin < behind)
            continue;
        behind = tag->end;
        const cw_type type = { .kind = *tag->keyword == 'e' ? CW_T_ENUM : CW_T_RECORD, .tag = tag };
        cw_type_write(unit, &type, "", CW_WRITE_FILE_SCOPE); /* gives it a name */
        cw_marker_to(unit, tag->begin, out);
        cw_edit_apply(unit, &unit->small, tag->begin, tag->end, out);
        cw_puts(out, ";");
    }
}

/* Writes the definitions before the body. */
static void put_front(cw_unit *unit, cw_func *func, const cw_header *h, cw_buf *out)
{
    const char *name = func->decl->name;
    bool points = func->npoints > 0, own = is_its_own_entry(unit, func);
    cw_puts(out, "\n");
    put_result_type(unit, h, out);
    for (size_t i = 0; i < func->naliases; i++)
        cw_printf(out, "%s\n", func->aliases[i]);
    if (points)
        put_frame(unit, func, out);
    if (func->named)
        cw_printf(out, "static const char %s__name[] = \"%s\";\n", name, name);
    if (func->pretty != NULL)
        cw_printf(out, "static const char %s__pretty[] = %s;\n", name, func->pretty);
    cw_marker_to(unit, func->begin, out);
    if (func->decl->dual) { /* the body may use its own address */
        cw_header_declare_plain(unit, h, out);
        cw_marker_to(unit, func->begin, out);
    }
    cw_header_put(unit, h, "", cw_woven_name(unit, func->decl), "co4_fiber *co4", CW_HEADER_ENTRY,
                  out);
    cw_puts(out, ";");
    cw_marker_to(unit, func->begin, out);
    const char *more = points && !own
                           ? cw_format(
                                 &unit->arena,
                                 func->resumer != NULL
                                     ? "co4_fiber *co4, co4_frame *co4_own, const int co4_resumed"
                                     : "co4_fiber *co4, struct %s__frame *co4_f, const int "
                                       "co4_resumed",
                                 name)
                           : "co4_fiber *co4";
    if (func->frame_after != NULL) {
        more = cw_format(&unit->arena, "%s, struct %s__frame **co4_taken", more, name);
        put_late_frame(unit, func);
    }
    const char *prefix = own ? cw_format(&unit->arena, "%s__attribute__((noinline)) ",
                                         unused(unit, func))
                             : body_inline(unit, func);
    cw_header_put(unit, h, prefix, body_name(unit, func), more,
                  own ? CW_HEADER_ENTRY : CW_HEADER_BODY, out);
}

/* Writes the definitions after the body. */
static void put_back(cw_unit *unit, const cw_func *func, const cw_header *h, cw_buf *out)
{
    cw_marker_to(unit, func->begin, out);
    if (!is_its_own_entry(unit, func))
        put_direct_entry(unit, func, h, out);
    if (func->npoints > 0) {
        cw_marker_to(unit, h->name_at, out);
        if (func->resumer == NULL || func->resumer == func)
            put_resume_entry(unit, func, out);
        if (cw_tables_unwind(func))
            put_unwind_entry(unit, func, out);
        cw_tables_put(unit, func, resume_name(unit, func),
                      func->resumer != NULL ? body_name(unit, func) : NULL, out);
    }
    if (func->decl->dual) {
        if (!func->in_handler)
            cw_thunk_plain_root(unit, func, out);
        cw_marker_to(unit, func->begin, out);
        cw_header_put_plain(unit, h, unused(unit, func), out);
        if (func->in_handler) {
            cw_marker_to(unit, func->body_at, out);
            cw_put(out, unit->text + func->body_at, func->end - func->body_at);
        } else {
            cw_marker_to(unit, h->name_at, out);
            cw_thunk_plain_body(unit, func, out);
        }
    }
    cw_marker_to(unit, func->end, out);
}

void cw_function_wrap(cw_unit *unit, cw_func *func)
{
    cw_header h = cw_header_of(unit, func);
    cw_buf front = { 0 }, back = { 0 };
    put_back(unit, func, &h, &back); /* first: it may need aliases of types */
    put_front(unit, func, &h, &front);
    uint32_t body = after_label_declarations(unit, func);
    cw_marker_to(unit, func->body_at, &front);
    cw_puts(&front, "{");
    cw_put(&front, unit->text + func->body_at + 1, body - (func->body_at + 1));
    put_prelude(unit, &h, &front);
    cw_marker_to(unit, body, &front);
    cw_edit_add(unit, &unit->large, func->begin, body, cw_take(&unit->arena, &front));
    cw_edit_add(unit, &unit->large, func->end, func->end, cw_take(&unit->arena, &back));
}
