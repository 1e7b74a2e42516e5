/* thunk.c - the functions of co4_run, co4_spawn, co4_task_create, co4_generate, co4_scope_run and
 * co4_blocking.
 *
 * Purpose: each entry point takes a call, `co4_spawn(relay(in, out, n))`. It becomes an ordinary
 * call of a small static function, which is defined before the function that uses it. All entries
 * of one callee share
 *
 *     struct relay__call { co4_frame head; … the arguments };    a frame at point 0: not started
 *     static void relay__start(co4_fiber *co4, co4_frame *head)  its resume entry: makes the call
 *
 * Invariants: the call frame is released before the function begins, so that a suspended task holds
 * only its own frames. The exception is a result that does not fit into the fiber: then the call
 * frame stays, and receives it. co4_run needs no call frame: it makes the call on the caller's
 * stack, and drives the fiber to its end only if the call pauses. A callee that is a pointer, and
 * not a function's name, is passed as one more argument. If an argument is a prepared call, in
 * `co4_spawn(co4_scope_run(0, f(x)))`, the call frame owns it until the function begins: a frame
 * that is dropped before drops it, too.
 *
 * co4_blocking is a suspension point, and its function is a small pausable one. It has a frame with
 * the arguments, and the call of the plain function, which another thread makes with that frame.
 * Its resume entry passes on the result.
 *
 * The plain entry of a dual function is such a co4_run, with the function's own name and header. So
 * co4_run of a dual function is simply a call of that entry. */
#include "emit/thunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/call.h"
#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/pausability.h"
#include "ast/type.h"
#include "ast/write.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/plan.h"
#include "co4/abi.h"
#include "emit/render.h"
#include "text/edit.h"
#include "text/text.h"
#include "text/unit.h"

typedef struct thunk {
    const cw_decl *callee; /* NULL: through a pointer */
    const cw_type *type;   /* the function's type */
    /* of one call, with the types of its variable arguments as further parameters; else NULL */
    const cw_type *called;
    const char *name;   /* the prefix of the generated names */
    const cw_func *own; /* plain entry: arguments have the function's own parameter names */
    uint32_t home;      /* where the line of the code comes from: see home_of */
    bool plain;         /* through a pointer to a plain function */
    bool made[CW_ENTRY_BLOCKING + 1], made_call, made_bridge;
} thunk;

typedef struct maker {
    cw_unit *unit;
    thunk **thunks;
    size_t nthunks;
} maker;

/* Removes operators: only & and * applied to a function's name yield something that can be
 * called. */
static const cw_node *strip(const cw_node *node)
{
    while (node->kind == CW_PAREN || node->kind == CW_IMPLICIT || node->kind == CW_UNARY)
        node = node->kids[0];
    return node;
}

static thunk *thunk_of(maker *m, const cw_node *callee)
{
    cw_unit *unit = m->unit;
    const cw_node *bare = strip(callee);
    const cw_decl *function = bare->kind == CW_REF && bare->decl != NULL &&
                                      bare->decl->kind == CW_D_FUNCTION
                                  ? bare->decl
                                  : NULL;
    for (size_t i = 0; i < m->nthunks && function != NULL; i++)
        if (m->thunks[i]->callee == function)
            return m->thunks[i];
    thunk *t = cw_alloc(&unit->arena, sizeof *t);
    t->callee = function;
    const cw_decl *declared = cw_callee_decl(callee);
    const cw_type *type = function != NULL ? function->type : callee->type;
    if (declared != NULL)
        type = cw_type_with_marks(unit, type, declared);
    type = cw_type_bare(type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    t->type = type;
    t->name = function != NULL ? function->name
                               : cw_format(&unit->arena, "co4_call_%zu", m->nthunks + 1);
    CW_PUSH(&unit->arena, m->thunks, m->nthunks, t);
    return t;
}

/* ---- pieces ---- */

static const cw_type *parameters_of(const thunk *t)
{
    return t->called != NULL ? t->called : t->type;
}

static const char *param(cw_unit *unit, const thunk *t, size_t i)
{
    const cw_type *type = cw_type_value(unit, parameters_of(t)->params[i]);
    return cw_type_write(unit, type, cw_format(&unit->arena, "co4_a%zu", i + 1),
                         CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED);
}

/* The argument as a parameter, by the name of its typedef: no declaration can spell the type to
 * which a va_list decays. */
static const char *argument(cw_unit *unit, const thunk *t, size_t i)
{
    const cw_type *type = parameters_of(t)->params[i];
    if (type->kind != CW_T_TYPEDEF || cw_type_value(unit, type) == type)
        return param(unit, t, i);
    return cw_type_write(unit, type, cw_format(&unit->arena, "co4_a%zu", i + 1),
                         CW_WRITE_FILE_SCOPE);
}

static const char *pointer_param(cw_unit *unit, const thunk *t)
{
    return cw_type_write(unit, cw_type_pointer_to(unit, t->type), "co4_callee",
                         CW_WRITE_FILE_SCOPE | (t->plain ? 0 : CW_WRITE_PAUSABLE));
}

/* "name(int co4_a1, …)", with `before` before the parameters if that is not empty. */
static const char *declarator(cw_unit *unit, const thunk *t, const char *suffix, const char *before)
{
    cw_buf buf = { 0 };
    const char *separator = "";
    cw_printf(&buf, "%s__%s(", t->name, suffix);
    if (*before != '\0') {
        cw_puts(&buf, before);
        separator = ", ";
    }
    if (t->callee == NULL) {
        cw_printf(&buf, "%s%s", separator, pointer_param(unit, t));
        separator = ", ";
    }
    for (size_t i = 0; i < parameters_of(t)->nparams; i++) {
        cw_printf(&buf, "%s%s", separator, argument(unit, t, i));
        separator = ", ";
    }
    if (parameters_of(t)->variadic) {
        cw_printf(&buf, "%sco4_abi_args *co4_va", separator);
        separator = ", ";
    }
    cw_puts(&buf, *separator == '\0' ? "void)" : ")");
    const char *text = cw_strdup(&unit->arena, buf.data);
    cw_buf_free(&buf);
    return text;
}

static void put_call(cw_unit *unit, const thunk *t, cw_buf *out)
{
    if (t->callee != NULL)
        cw_printf(out, "%s(co4", cw_woven_name(unit, t->callee));
    else
        cw_puts(out, "co4_callee(co4");
    for (size_t i = 0; t->own != NULL && i < t->own->nparams; i++)
        cw_printf(out, ", %s", t->own->params[i]->name);
    for (size_t i = 0; t->own == NULL && i < t->type->nparams; i++)
        cw_printf(out, ", co4_a%zu", i + 1);
    cw_puts(out, !t->type->variadic ? ")" : t->own != NULL ? ", &co4_va)" : ", co4_va)");
}

static bool is_wide(const thunk *t)
{
    return cw_type_is_wide(t->type->inner);
}

/* Is the type that of a prepared call (CW_ENTRY_CALL)? */
static bool is_prepared_call(const cw_type *type)
{
    type = cw_type_bare(type);
    if (type->kind != CW_T_POINTER)
        return false;
    type = cw_type_bare(type->inner);
    return type->kind == CW_T_RECORD && type->tag->name != NULL &&
           strcmp(type->tag->name, "co4_call") == 0;
}

/* "co4_abi_call_drop(PREFIXa2);" for each argument that is a prepared call; the same for the copy
 * of variable arguments, if the call frame has one. */
static void put_call_drops(const thunk *t, const char *prefix, cw_buf *out)
{
    for (size_t i = 0; i < t->type->nparams; i++)
        if (is_prepared_call(t->type->params[i]))
            cw_printf(out, " co4_abi_call_drop(%sco4_a%zu);", prefix, i + 1);
    if (t->type->variadic && *prefix != '\0')
        cw_printf(out, " co4_abi_args_drop(%sco4_va);", prefix);
}

static bool owns_arguments(const thunk *t)
{
    if (t->type->variadic)
        return true;
    for (size_t i = 0; i < t->type->nparams; i++)
        if (is_prepared_call(t->type->params[i]))
            return true;
    return false;
}

/* Declares a description and its points. */
static void put_func_struct(const char *frame, unsigned npoints, cw_buf *out)
{
    cw_printf(out,
              "struct %s_func { co4_abi_func func; co4_abi_point points[%u]; };\n"
              "static const struct %s_func %s_func;\n",
              frame, npoints, frame, frame);
}

/* `value`: the offset of a wide result that arrives at its point, "0" if none does; NULL: it has no
 * point. */
static void put_func(cw_unit *unit, const thunk *t, const char *resume, const char *frame,
                     const char *value, const char *unwind, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool wide = value != NULL && strcmp(value, "0") != 0;
    if (!wide)
        put_func_struct(frame, 1 + (value != NULL), out);
    cw_printf(out, "static const struct %s_func %s_func = { { sizeof(struct %s), CO4_ABI_MADE",
              frame, frame, frame);
    if (!cw_type_is_void(result))
        cw_printf(out, " | sizeof(%s)%s", cw_type_write(unit, result, "", CW_WRITE_FILE_SCOPE),
                  wide                                   ? " | CO4_ABI_WIDE"
                  : !t->plain && cw_type_is_code(result) ? " | CO4_ABI_CODE"
                                                         : "");
    cw_printf(out,
              " | (_Alignof(struct %s) > 8 ? CO4_ABI_ALIGNED : 0), \"%s\", 0, %s }, { { %s, 0 }",
              frame, t->name, unwind, resume);
    if (value != NULL)
        cw_printf(out, ", { %s, 1 }", resume);
    if (wide)
        cw_printf(out, ", { 0, %s }", value);
    cw_puts(out, " } };\n");
}

/* offsetof without the macro of <stddef.h>, which the text may lack or redefine. */
static const char *offset_in(cw_unit *unit, const char *frame, const char *field)
{
    return cw_format(&unit->arena,
                     unit->gnu ? "__builtin_offsetof(struct %s, %s)"
                               : "(unsigned)(co4_abi_size)&((struct %s *)0)->%s",
                     frame, field);
}

static const char *result_place(cw_unit *unit, const cw_type *result, unsigned scope)
{
    return cw_format(&unit->arena, "*(%s)co4_abi_result_of(co4)",
                     cw_type_write(unit, cw_type_pointer_to(unit, result), "", scope));
}

static void put_call_frame(cw_unit *unit, thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result), wide = is_wide(t);
    const char *frame = cw_format(&unit->arena, "%s__call", t->name);
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s { /* a call of %s() that has not begun */\n    co4_frame head;\n",
              frame, t->name);
    if (t->callee == NULL)
        cw_printf(out, "    %s;\n", pointer_param(unit, t));
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, "    %s;\n", param(unit, t, i));
    if (t->type->variadic)
        cw_puts(out, "    co4_abi_args *co4_va;\n");
    if (wide)
        cw_printf(
            out, "    %s;\n",
            cw_type_write(unit, result, "co4_value", CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED));
    cw_puts(out, "};\n");
    cw_layout_end(unit, out);
    if (wide)
        put_func_struct(frame, 3, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static void %s__start(co4_fiber *co4, co4_frame *co4_head)", t->name);
    cw_printf(out, " { struct %s *co4_c = (struct %s *)(void *)co4_head;", frame, frame);
    if (wide)
        cw_puts(out, " if (co4_head->at->id == 0) {");
    if (t->callee == NULL)
        cw_printf(out, " %s = co4_c->co4_callee;", pointer_param(unit, t));
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, " %s = co4_c->co4_a%zu;", param(unit, t, i), i + 1);
    if (t->type->variadic)
        cw_puts(out, " co4_abi_args *co4_va = co4_c->co4_va;");
    const char *called = t->type->variadic ? " co4_abi_args_drop(co4_va);" : "";
    if (wide) {
        cw_printf(out, " %s = ", cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
        put_call(unit, t, out);
        cw_printf(out,
                  ";%s if (co4_abi_pausing(co4)) { co4_abi_save(co4, co4_c, &%s_func.points[1]); "
                  "return; } ",
                  called, frame);
        cw_put_assign(unit, result, "co4_c->co4_value", "co4_r", out);
        cw_puts(out, " } *(void **)co4_abi_result_of(co4) = &co4_c->co4_value;");
    } else {
        cw_puts(out, " co4_abi_frame_drop(co4, co4_c); ");
        if (!is_void)
            cw_printf(out, "%s = ", cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
        put_call(unit, t, out);
        cw_printf(out, ";%s", called);
        if (!is_void) {
            cw_puts(out, " if (!co4_abi_pausing(co4)) ");
            cw_put_assign(unit, result, result_place(unit, result, CW_WRITE_FILE_SCOPE), "co4_r",
                          out);
        }
    }
    cw_puts(out, " }\n");
    const char *unwind = "0";
    if (owns_arguments(t)) {
        unwind = cw_format(&unit->arena, "%s__call_unwind", t->name);
        cw_printf(out, "static void %s(co4_frame *co4_head) { if (co4_head->at->id == 0) {",
                  unwind);
        put_call_drops(t, cw_format(&unit->arena, "((struct %s *)(void *)co4_head)->", frame), out);
        cw_puts(out, " } }\n");
    }
    put_func(unit, t, cw_format(&unit->arena, "%s__start", t->name), frame,
             wide ? offset_in(unit, frame, "co4_value") : NULL, unwind, out);
}

static void put_starter(cw_unit *unit, const thunk *t, cw_entry_kind kind, cw_buf *out)
{
    static const struct {
        const char *result, *suffix, *maker, *before;
    } kinds[] = {
        [CW_ENTRY_SPAWN] = { "struct co4_task *", "spawn", "co4_abi_spawn(co4_rt, ",
                             "struct co4_runtime *co4_rt" },
        [CW_ENTRY_START] = { "struct co4_task *", "kept", "co4_abi_start(co4_rt, ",
                             "struct co4_runtime *co4_rt" },
        [CW_ENTRY_TASK] = { "struct co4_task *", "task", "co4_abi_task(", "" },
        [CW_ENTRY_GENERATE] = { "struct co4_gen *", "generate", "co4_abi_generate(", "" },
        [CW_ENTRY_CALL] = { "struct co4_call *", "prepare", "(struct co4_call *)(void *)(", "" },
    };
    cw_marker_to(unit, t->home, out);
    if (kind != CW_ENTRY_SPAWN) /* only that entry point returns no reference */
        cw_puts(out, "__attribute__((__warn_unused_result__)) ");
    cw_printf(out, "static %s%s", kinds[kind].result,
              declarator(unit, t, kinds[kind].suffix, kinds[kind].before));
    cw_printf(
        out,
        " { struct %s__call *co4_c = (struct %s__call *)co4_abi_call_take(&%s__call_func.func);",
        t->name, t->name, t->name);
    if (t->callee == NULL || t->type->nparams > 0 || t->type->variadic) {
        cw_puts(out, " if (co4_c != 0) {");
        if (t->callee == NULL)
            cw_puts(out, " co4_c->co4_callee = co4_callee;");
        for (size_t i = 0; i < t->type->nparams; i++)
            cw_printf(out, " co4_c->co4_a%zu = co4_a%zu;", i + 1, i + 1);
        if (t->type->variadic)
            cw_puts(out, " if ((co4_c->co4_va = co4_abi_args_keep(0, co4_va)) == 0) { "
                         "co4_abi_call_drop((struct co4_call *)(void *)co4_c); co4_c = 0; }");
        cw_puts(out, " }");
    }
    if (owns_arguments(t)) {
        cw_puts(out, " else {");
        put_call_drops(t, "", out);
        cw_puts(out, " }");
    }
    cw_printf(out, " return %sco4_c); }\n", kinds[kind].maker);
}

/* ---- co4_blocking ---- */

/* "struct f__job": the frame, and the call that another thread makes with it. */
static void put_job(cw_unit *unit, const thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result);
    const char *frame = cw_format(&unit->arena, "%s__job", t->name);
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s { /* a call of %s() by another thread */\n    co4_frame head;\n",
              frame, t->name);
    cw_puts(out, "    co4_abi_job job;\n");
    if (t->callee == NULL)
        cw_printf(out, "    %s;\n", pointer_param(unit, t));
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, "    %s;\n", param(unit, t, i));
    if (!is_void)
        cw_printf(
            out, "    %s;\n",
            cw_type_write(unit, result, "co4_value", CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED));
    cw_puts(out, "};\n");
    cw_layout_end(unit, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static void %s_call(void *co4_p) { struct %s *co4_j = (struct %s *)co4_p; ",
              frame, frame, frame);
    cw_buf call = { 0 };
    cw_printf(&call, "%s(", t->callee != NULL ? t->callee->name : "co4_j->co4_callee");
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(&call, "%sco4_j->co4_a%zu", i == 0 ? "" : ", ", i + 1);
    cw_puts(&call, ")");
    if (is_void)
        cw_printf(out, "%s;", call.data);
    else
        cw_put_assign(unit, result, "co4_j->co4_value", call.data, out);
    cw_buf_free(&call);
    cw_puts(out, " }\n");
}

static void put_job_resume(cw_unit *unit, const thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    cw_printf(out, "static void %s__job_resume(co4_fiber *co4, co4_frame *co4_head) { ", t->name);
    if (!cw_type_is_void(result)) {
        const char *pointer = cw_type_write(unit, cw_type_pointer_to(unit, result), "",
                                            CW_WRITE_FILE_SCOPE);
        cw_put_assign(
            unit, result,
            cw_format(&unit->arena, "*(%s)%s", pointer,
                      is_wide(t) ? "co4_abi_wide_result(co4_head->caller)"
                                 : "co4_abi_result_of(co4)"),
            cw_format(&unit->arena, "((struct %s__job *)(void *)co4_head)->co4_value", t->name),
            out);
        cw_puts(out, " ");
    }
    cw_puts(out, "co4_abi_frame_drop(co4, co4_head); }\n");
    put_func(unit, t, cw_format(&unit->arena, "%s__job_resume", t->name),
             cw_format(&unit->arena, "%s__job", t->name), "0", "0", out);
}

static void put_blocking(cw_unit *unit, const thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result);
    const char *zero = is_void ? "" : cw_format(&unit->arena, " %s", cw_zero(unit, result));
    put_job(unit, t, out);
    put_job_resume(unit, t, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static %s",
              cw_type_write(unit, result, declarator(unit, t, "blocking", "co4_fiber *co4"),
                            CW_WRITE_FILE_SCOPE));
    cw_printf(
        out,
        " { struct %s__job *co4_j = (struct %s__job *)co4_abi_frame_take(co4, &%s__job_func.func); "
        "if (co4_j == 0) return%s; ",
        t->name, t->name, t->name, zero);
    if (t->callee == NULL)
        cw_puts(out, "co4_j->co4_callee = co4_callee; ");
    for (size_t i = 0; i < t->type->nparams; i++) {
        cw_put_assign(unit, cw_type_value(unit, t->type->params[i]),
                      cw_format(&unit->arena, "co4_j->co4_a%zu", i + 1),
                      cw_format(&unit->arena, "co4_a%zu", i + 1), out);
        cw_puts(out, " ");
    }
    cw_printf(out,
              "if (co4_abi_blocking(co4, &co4_j->job, %s__job_call, co4_j)) "
              "{ co4_abi_save(co4, co4_j, &%s__job_func.points[1]); return%s; } ",
              t->name, t->name, zero);
    if (!is_void)
        cw_printf(out, "%s = co4_j->co4_value; ",
                  cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
    cw_printf(out, "co4_abi_frame_drop(co4, co4_j);%s }\n", is_void ? "" : " return co4_r;");
}

static const char *root_frame(cw_unit *unit, const thunk *t)
{
    return cw_format(&unit->arena, "%s__root", t->name);
}

/* Before a run of a function with a wide result: the frame that receives it. */
static void put_root(cw_unit *unit, const thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    const char *frame = root_frame(unit, t);
    if (!is_wide(t))
        return;
    cw_layout_begin(unit, out);
    cw_printf(out, "struct %s { co4_frame head; %s; };\n", frame,
              cw_type_write(unit, result, "co4_value", CW_WRITE_FILE_SCOPE | CW_WRITE_UNQUALIFIED));
    cw_layout_end(unit, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out,
              "static void %s_resume(co4_fiber *co4, co4_frame *co4_head) { (void)co4; "
              "(void)co4_head; }\n",
              frame);
    put_func_struct(frame, 3, out);
    put_func(unit, t, cw_format(&unit->arena, "%s_resume", frame), frame,
             offset_in(unit, frame, "co4_value"), "0", out);
}

/* For a run that could not begin, or whose fiber ended without a result. A call with an int result
 * returns the error code. Any other result could be overlooked, and so could the int of a program
 * that does not know codes. There the call does not return, unless the caller asks
 * (co4_run_checked). */
static void put_nothing(cw_unit *unit, const thunk *t, const char *fiber, cw_buf *out)
{
    const cw_type *result = cw_type_bare(t->type->inner);
    if (cw_weaves_unmarked(unit->options) || result->kind != CW_T_BUILTIN ||
        strcmp(result->name, "int") != 0)
        cw_printf(out, "co4_abi_run_lost(%s, \"%s\");", fiber, t->name);
    else
        cw_puts(out, "co4_r = co4_abi_run_code();");
}

/* "{ … }": begins a fiber, calls, drives it to its end, returns the result. */
static void put_run_body(cw_unit *unit, const thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result), wide = is_wide(t);
    bool varargs = t->own != NULL && t->own->variadic;
    const char *frame = root_frame(unit, t);
    unsigned scope = t->own != NULL ? 0
                                    : CW_WRITE_FILE_SCOPE; /* the user's parameters hide names */
    cw_puts(out, "{ ");
    if (varargs)
        cw_printf(out,
                  "co4_abi_args co4_va; co4_va.bytes = co4_va.copies = 0; "
                  "__builtin_va_start(co4_va.list, %s); ",
                  t->own->nparams > 0 ? t->own->params[t->own->nparams - 1]->name : "0");
    cw_puts(out, "co4_fiber *co4 = co4_abi_run_begin(); ");
    if (!is_void)
        cw_printf(out, "%s = %s; ",
                  cw_type_write(unit, result, "co4_r", scope | CW_WRITE_UNQUALIFIED),
                  cw_zero(unit, result));
    cw_puts(out, "if (co4 == 0) { ");
    if (t->own == NULL)
        put_call_drops(t, "", out);
    put_nothing(unit, t, "0", out);
    cw_printf(out, " return%s; } ", is_void ? "" : " co4_r");
    cw_buf call = { 0 };
    put_call(unit, t, &call);
    if (is_void)
        cw_printf(out, "%s;", call.data);
    else
        cw_put_assign(unit, result, "co4_r", call.data, out);
    cw_buf_free(&call);
    cw_puts(out, " if (co4_abi_pausing(co4)) {");
    if (wide) {
        cw_printf(out, " struct %s co4_root = { .head = { .at = %s_func.points } };", frame, frame);
        cw_printf(out, " co4_abi_save(co4, &co4_root, &%s_func.points[1]);", frame);
    }
    if (!is_void) {
        cw_puts(out, " if (co4_abi_run_drive(co4) == 0) ");
        cw_put_assign(unit, result, "co4_r",
                      wide ? "co4_root.co4_value" : result_place(unit, result, scope), out);
        cw_puts(out, " else { ");
        cw_put_assign(unit, result, "co4_r", cw_zero(unit, result), out);
        cw_puts(out, " ");
        put_nothing(unit, t, "co4", out);
        cw_puts(out, " }");
    } else {
        cw_puts(out, " if (co4_abi_run_drive(co4) != 0) { ");
        put_nothing(unit, t, "co4", out);
        cw_puts(out, " }");
    }
    cw_printf(out, " }%s co4_abi_run_end(co4);%s }\n",
              varargs ? " __builtin_va_end(co4_va.list);" : "", is_void ? "" : " return co4_r;");
}

static void put_run(cw_unit *unit, const thunk *t, cw_buf *out)
{
    put_root(unit, t, out);
    cw_marker_to(unit, t->home, out);
    /* With a stack address of its own, by which the runtime recognises runs that a jump skipped. */
    cw_printf(out, "%sstatic %s ", unit->gnu ? "__attribute__((__noinline__)) " : "",
              cw_type_write(unit, cw_type_unqualified(unit, t->type->inner),
                            declarator(unit, t, "run", ""), CW_WRITE_FILE_SCOPE));
    put_run_body(unit, t, out);
}

/* Generated code has a single line, that of the definition of the function that it calls. Debuggers
 * and coverage must find no such code in the user's next lines. */
static uint32_t home_of(const cw_decl *callee)
{
    for (size_t i = 0; i < callee->nredecls; i++)
        if (callee->redecls[i].definition)
            return callee->redecls[i].name_at;
    return callee->name_at;
}

static thunk plain_entry(const cw_func *func)
{
    return (thunk){ .callee = func->decl,
                    .type = cw_type_bare(func->decl->type),
                    .name = func->decl->name,
                    .own = func,
                    .home = home_of(func->decl) };
}

void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const thunk t = plain_entry(func);
    put_root(unit, &t, out);
}

void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const thunk t = plain_entry(func);
    put_run_body(unit, &t, out);
}

/* Declares a plain function whose only declaration is inside the function that calls it. */
static void put_local_prototype(cw_unit *unit, const thunk *t, uint32_t at, cw_buf *out)
{
    if (t->callee == NULL)
        return;
    for (size_t i = 0; i < t->callee->nredecls; i++)
        if (t->callee->redecls[i].begin < at)
            return;
    cw_printf(out, "%s%s;\n", t->callee->is_static ? "static " : "",
              cw_type_write(unit, t->callee->type, t->callee->name, CW_WRITE_FILE_SCOPE));
}

/* ---- one entry point ---- */

/* Begin of the function definition that contains the node, else of the node itself. */
static uint32_t place_before(const cw_unit *unit, const cw_node *node)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (node->begin >= unit->funcs[i]->begin && node->begin < unit->funcs[i]->end)
            return unit->funcs[i]->begin;
    return node->begin;
}

static void put_plain_arguments(const thunk *t, cw_buf *out)
{
    for (size_t i = 0; i < parameters_of(t)->nparams; i++)
        cw_printf(out, "%sco4_a%zu", i == 0 ? "" : ", ", i + 1);
}

/* A call of a function that another file defines, woven or not. The linker decides. A root has a
 * woven form in any case: another function. Of several bridges of a function, those after the first
 * only declare it. */
static void put_bridge(cw_unit *unit, thunk *t, uint32_t at, cw_buf *out)
{
    const cw_type *result = t->type->inner;
    const char *begin = cw_type_is_void(result) ? "" : "return ";
    const char *root = t->callee->instead, *name = root != NULL ? root : t->callee->name;
    cw_printf(out, "\n%s%s;", root != NULL ? "" : "__attribute__((weak)) ",
              cw_type_write(unit, t->type, cw_format(&unit->arena, "%s__co4", name),
                            CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE));
    cw_marker_to(unit, home_of(t->callee), out);
    cw_printf(out, "static __inline__ __attribute__((unused)) %s",
              cw_type_write(unit, result, declarator(unit, t, "any", "co4_fiber *co4"),
                            CW_WRITE_FILE_SCOPE));
    if (t->made_bridge) {
        cw_puts(out, ";\n");
        return;
    }
    t->made_bridge = true;
    if (root == NULL)
        cw_printf(out, " { if (%s__co4 != 0)", name);
    cw_printf(out, " { %s%s__co4(co4", begin, name);
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, ", co4_a%zu", i + 1);
    cw_puts(out, "); }");
    if (root == NULL) {
        cw_printf(out, " else { (void)co4; %s%s(", begin, name);
        put_plain_arguments(t, out);
        cw_puts(out, "); } }");
    }
    cw_puts(out, "\n");
    cw_marker_to(unit, at, out);
}

static void make(maker *m, cw_node *node)
{
    cw_unit *unit = m->unit;
    if (node->nkids == 0)
        return;
    const cw_node *callee = node->kids[cw_entry_has_runtime(node->entry)];
    thunk *t = thunk_of(m, callee);
    cw_entry_kind kind = node->entry == CW_ENTRY_SPAWN_ON   ? CW_ENTRY_SPAWN
                         : node->entry == CW_ENTRY_START_ON ? CW_ENTRY_START
                                                            : node->entry;
    static const char *const suffixes[] = {
        [CW_ENTRY_RUN] = "run",          [CW_ENTRY_SPAWN] = "spawn",
        [CW_ENTRY_START] = "kept",       [CW_ENTRY_TASK] = "task",
        [CW_ENTRY_CALL] = "prepare",     [CW_ENTRY_GENERATE] = "generate",
        [CW_ENTRY_BLOCKING] = "blocking"
    };
    node->thunk = cw_format(&unit->arena, "%s__%s", t->name, suffixes[kind]);
    node->thunk_has_callee = t->callee == NULL;
    if (kind == CW_ENTRY_RUN && t->callee != NULL && t->callee->dual) {
        node->thunk = t->callee->name;
        return;
    }
    node->thunk_packs = t->type->variadic;
    if (t->made[kind])
        return;
    uint32_t at = place_before(unit, node);
    t->plain = kind == CW_ENTRY_BLOCKING;
    t->home = t->callee == NULL                                          ? at
              : t->plain && cw_place_of(unit, t->callee->name_at).system ? at
                                                                         : home_of(t->callee);
    cw_buf buf = { 0 };
    cw_puts(&buf, "\n");
    if (!t->plain && t->callee != NULL && t->callee->bridged)
        put_bridge(unit, t, at, &buf);
    bool defined_here = !t->plain && t->callee != NULL && t->callee->func != NULL &&
                        t->callee->func->begin == at;
    if (defined_here) /* it enters itself: the declaration that weaving adds comes too late */
        cw_printf(&buf, "%s%s;\n", t->callee->is_static ? "static " : "",
                  cw_type_write(unit, t->callee->type,
                                cw_format(&unit->arena, "%s__co4", t->callee->name),
                                CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE));
    if (kind == CW_ENTRY_RUN) {
        put_run(unit, t, &buf);
    } else if (kind == CW_ENTRY_BLOCKING) {
        put_local_prototype(unit, t, at, &buf);
        put_blocking(unit, t, &buf);
    } else {
        if (!t->made_call)
            put_call_frame(unit, t, &buf);
        t->made_call = true;
        put_starter(unit, t, kind, &buf);
    }
    t->made[kind] = true;
    cw_marker_to(unit, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_strdup(&unit->arena, buf.data));
    cw_buf_free(&buf);
}

/* The type of a function that takes what this call passes. */
static const cw_type *called_type(cw_unit *unit, const cw_node *call, const cw_type *type)
{
    cw_type *copy = cw_alloc(&unit->arena, sizeof *copy);
    *copy = *type;
    copy->variadic = false;
    copy->nparams = call->nkids - 1;
    copy->params = cw_alloc(&unit->arena, call->nkids * sizeof *copy->params);
    for (size_t i = 0; i < copy->nparams; i++)
        copy->params[i] = i < type->nparams
                              ? type->params[i]
                              : (cw_type *)(uintptr_t)cw_type_value(unit, call->kids[i + 1]->type);
    return copy;
}

/* ", " and the variable arguments, from the parameters of a function that has them. */
static void put_packed_parameters(cw_unit *unit, const thunk *t, cw_buf *out)
{
    size_t from = t->type->nparams, count = t->called->nparams - from;
    cw_packed *args = cw_alloc(&unit->arena, (count + 1) * sizeof *args);
    for (size_t i = 0; i < count; i++)
        args[i] = (cw_packed){ .type = t->called->params[from + i],
                               .value = cw_format(&unit->arena, "co4_a%zu", from + i + 1) };
    cw_puts(out, ", ");
    cw_put_packed(unit, args, count, CW_WRITE_FILE_SCOPE, out);
}

/* Auto: a call through a pointer to a plain function. If that function has a pausing form, it is
 * called instead. Each call remembers the last one that it found. */
static void make_call_by_address(maker *m, cw_node *call)
{
    cw_unit *unit = m->unit;
    thunk *t = thunk_of(m, call->kids[0]);
    t->plain = true;
    if (t->type->variadic)
        t->called = called_type(unit, call, t->type);
    call->thunk = cw_format(&unit->arena, "%s__any", t->name);
    call->thunk_has_callee = true;
    uint32_t at = place_before(unit, call);
    const cw_type *result = t->type->inner;
    const char *begin = cw_type_is_void(result) ? "" : "return ";
    const char *woven = cw_type_write(unit, cw_type_pointer_to(unit, t->type), "co4_w",
                                      CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE);
    const char *cast = cw_type_write(unit, cw_type_pointer_to(unit, t->type), "",
                                     CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE);
    cw_buf buf = { 0 };
    cw_marker_to(unit, at, &buf);
    cw_printf(&buf, "static __inline__ __attribute__((unused)) %s",
              cw_type_write(unit, result, declarator(unit, t, "any", "co4_fiber *co4"),
                            CW_WRITE_FILE_SCOPE));
    cw_printf(&buf,
              " { static const co4_abi_pair *co4_last; %s = (%s)co4_abi_woven(&co4_last, "
              "(co4_abi_code *)co4_callee); if (co4_w != 0) { %sco4_w(co4",
              woven, cast, begin);
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(&buf, ", co4_a%zu", i + 1);
    if (t->called != NULL)
        put_packed_parameters(unit, t, &buf);
    cw_puts(&buf, "); }");
    if (cw_plan_has(unit->options->plan, CW_PLAN_THROWS, "*")) { /* as cw_emit_caught_call */
        const char *zero = cw_zero(unit, result);
        cw_puts(&buf, " else { co4_abi_catch co4_catch; if ((co4_catch.own[2] = "
                      "(void *)(co4_abi_size)co4_abi_setjmp(co4_catch.buf)) != 0) { "
                      "co4_abi_caught(co4, &co4_catch); return");
        cw_printf(&buf, " %s; } co4_abi_catch_begin(co4, &co4_catch); ", zero);
        if (*begin != '\0')
            cw_printf(&buf, "%s = ",
                      cw_type_write(unit, cw_type_unqualified(unit, result), "co4_r",
                                    CW_WRITE_FILE_SCOPE));
        cw_puts(&buf, "co4_callee(");
        put_plain_arguments(t, &buf);
        cw_printf(&buf, "); co4_abi_catch_end(&co4_catch);%s } }\n",
                  *begin != '\0' ? " return co4_r;" : "");
    } else {
        cw_printf(&buf, " else { %sco4_callee(", begin);
        put_plain_arguments(t, &buf);
        cw_puts(&buf, "); } }\n");
    }
    cw_marker_to(unit, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_strdup(&unit->arena, buf.data));
    cw_buf_free(&buf);
}

static void make_bridge(maker *m, cw_node *call)
{
    cw_unit *unit = m->unit;
    if (call->by_address) {
        make_call_by_address(m, call);
        return;
    }
    thunk *t = thunk_of(m, call->kids[0]);
    if (t->made_bridge)
        return;
    uint32_t at = place_before(unit, call);
    cw_buf buf = { 0 };
    put_bridge(unit, t, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_strdup(&unit->arena, buf.data));
    cw_buf_free(&buf);
}

void cw_thunks(cw_unit *unit)
{
    maker m = { .unit = unit };
    for (size_t i = 0; i < unit->nbridges; i++) /* first: an entry may have to declare one */
        make_bridge(&m, unit->bridges[i]);
    for (size_t i = 0; i < unit->nentries; i++)
        make(&m, unit->entries[i]);
}
