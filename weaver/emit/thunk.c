/* thunk.c - the functions of co4_run, co4_spawn, co4_task_create, co4_generate, co4_scope_run and
 * co4_blocking. Those of co4_run and co4_blocking are in thunk_run.c.
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
#include <string.h>

#include "ast/func.h"
#include "ast/type.h"
#include "base/plan.h"
#include "co4/abi.h"
#include "emit/emit.h"
#include "emit/thunk_parts.h"
#include "text/unit.h"

typedef struct maker {
    cw_unit *unit;
    cw_thunk **thunks;
    size_t nthunks;
} maker;

static cw_thunk *thunk_of(maker *m, const cw_node *callee)
{
    cw_unit *unit = m->unit;
    const cw_node *bare = callee;
    /* only & and * applied to a function's name yield something that can be called */
    while (bare->kind == CW_PAREN || bare->kind == CW_IMPLICIT || bare->kind == CW_UNARY)
        bare = bare->kids[0];
    const cw_decl *function = bare->kind == CW_REF && bare->decl != NULL &&
                                      bare->decl->kind == CW_D_FUNCTION
                                  ? bare->decl
                                  : NULL;
    for (size_t i = 0; i < m->nthunks && function != NULL; i++)
        if (m->thunks[i]->callee == function)
            return m->thunks[i];
    cw_thunk *t = cw_alloc(&unit->arena, sizeof *t);
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

/* ---- calls that have not begun ---- */

static void put_call_frame(cw_unit *unit, cw_thunk *t, cw_buf *out)
{
    const cw_type *result = cw_type_unqualified(unit, t->type->inner);
    bool is_void = cw_type_is_void(result), wide = cw_thunk_is_wide(t);
    const char *frame = cw_format(&unit->arena, "%s__call", t->name);
    cw_thunk_put_struct(unit, t, frame, "that has not begun", "", wide, out);
    if (wide)
        cw_thunk_put_func_struct(frame, 3, out);
    cw_marker_to(unit, t->home, out);
    cw_printf(out, "static void %s__start(co4_fiber *co4, co4_frame *co4_head)", t->name);
    cw_printf(out, " { struct %s *co4_c = (struct %s *)(void *)co4_head;", frame, frame);
    if (wide)
        cw_puts(out, " if (co4_head->at->id == 0) {");
    if (t->callee == NULL)
        cw_printf(out, " %s = co4_c->co4_callee;", cw_thunk_pointer(unit, t));
    for (size_t i = 0; i < t->type->nparams; i++)
        cw_printf(out, " %s = co4_c->co4_a%zu;", cw_thunk_param(unit, t, i), i + 1);
    if (t->type->variadic)
        cw_puts(out, " co4_abi_args *co4_va = co4_c->co4_va;");
    const char *called = t->type->variadic ? " co4_abi_args_drop(co4_va);" : "";
    if (wide) {
        cw_printf(out, " %s = ", cw_type_write(unit, result, "co4_r", CW_WRITE_FILE_SCOPE));
        cw_thunk_put_call(unit, t, out);
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
        cw_thunk_put_call(unit, t, out);
        cw_printf(out, ";%s", called);
        if (!is_void) {
            cw_puts(out, " if (!co4_abi_pausing(co4)) ");
            cw_put_assign(unit, result, cw_result_place(unit, result, NULL, CW_WRITE_FILE_SCOPE),
                          "co4_r", out);
        }
    }
    cw_puts(out, " }\n");
    const char *unwind = "0";
    if (cw_thunk_owns(t)) {
        unwind = cw_format(&unit->arena, "%s__call_unwind", t->name);
        cw_printf(out, "static void %s(co4_frame *co4_head) { if (co4_head->at->id == 0) {",
                  unwind);
        cw_thunk_put_call_drops(
            t, cw_format(&unit->arena, "((struct %s *)(void *)co4_head)->", frame), out);
        cw_puts(out, " } }\n");
    }
    cw_thunk_put_func(unit, t, cw_format(&unit->arena, "%s__start", t->name), frame,
                      wide ? cw_thunk_offset(unit, frame, "co4_value") : NULL, unwind, out);
}

static void put_starter(cw_unit *unit, const cw_thunk *t, cw_entry_kind kind, cw_buf *out)
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
              cw_thunk_declarator(unit, t, kinds[kind].suffix, kinds[kind].before));
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
    if (cw_thunk_owns(t)) {
        cw_puts(out, " else {");
        cw_thunk_put_call_drops(t, "", out);
        cw_puts(out, " }");
    }
    cw_printf(out, " return %sco4_c); }\n", kinds[kind].maker);
}

/* Declares a plain function which is only declared inside functions. */
static void put_local_prototype(cw_unit *unit, const cw_thunk *t, uint32_t at, cw_buf *out)
{
    if (t->callee == NULL)
        return;
    for (size_t i = 0; i < t->callee->nredecls; i++)
        if (t->callee->redecls[i].begin < at &&
            cw_func_at(unit, t->callee->redecls[i].begin) == NULL)
            return;
    cw_printf(out, "%s%s;\n", t->callee->is_static ? "static " : "",
              cw_type_write(unit, t->callee->type, t->callee->name, CW_WRITE_FILE_SCOPE));
}

/* ---- one entry point ---- */

/* Begin of the function definition that contains the node, else of the node itself. */
static uint32_t place_before(const cw_unit *unit, const cw_node *node)
{
    const cw_func *func = cw_func_at(unit, node->begin);
    return func != NULL ? func->begin : node->begin;
}

static void put_plain_arguments(const cw_thunk *t, cw_buf *out)
{
    for (size_t i = 0; i < cw_thunk_parameters(t)->nparams; i++)
        cw_printf(out, "%sco4_a%zu", i == 0 ? "" : ", ", i + 1);
}

/* A call of a function that another file defines, woven or not. The linker decides. A root has a
 * woven form in any case: another function. Of several bridges of a function, those after the first
 * only declare it. */
static void put_bridge(cw_unit *unit, cw_thunk *t, uint32_t at, cw_buf *out)
{
    const cw_type *result = t->type->inner;
    const char *begin = cw_type_is_void(result) ? "" : "return ";
    const char *root = t->callee->instead, *name = root != NULL ? root : t->callee->name;
    if (root == NULL && t->callee->nredecls > 0) /* else it is declared by its calls */
        put_local_prototype(unit, t, at, out);
    cw_printf(out, "\n%s%s;", root != NULL ? "" : "__attribute__((weak)) ",
              cw_type_write(unit, t->type, cw_format(&unit->arena, "%s__co4", name),
                            CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE));
    cw_marker_to(unit, cw_definition_of(t->callee), out);
    cw_printf(out, "static __inline__ __attribute__((unused)) %s",
              cw_type_write(unit, result, cw_thunk_declarator(unit, t, "any", "co4_fiber *co4"),
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
    cw_thunk *t = thunk_of(m, callee);
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
    if (kind == CW_ENTRY_RUN && t->callee != NULL && t->callee->dual && !t->callee->needs_block) {
        node->thunk = t->callee->name;
        return;
    }
    node->thunk_packs = t->type->variadic;
    if (t->made[kind])
        return;
    uint32_t at = place_before(unit, node);
    t->plain = kind == CW_ENTRY_BLOCKING;
    t->home = t->callee == NULL ? at
              : t->plain && cw_place_of(unit, t->callee->name_at).system
                  ? at
                  : cw_definition_of(t->callee);
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
        cw_thunk_put_run(unit, t, &buf);
    } else if (kind == CW_ENTRY_BLOCKING) {
        put_local_prototype(unit, t, at, &buf);
        cw_thunk_put_blocking(unit, t, &buf);
    } else {
        if (!t->made_call)
            put_call_frame(unit, t, &buf);
        t->made_call = true;
        put_starter(unit, t, kind, &buf);
    }
    t->made[kind] = true;
    cw_marker_to(unit, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_take(&unit->arena, &buf));
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
static void put_packed_parameters(cw_unit *unit, const cw_thunk *t, cw_buf *out)
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
    cw_thunk *t = thunk_of(m, call->kids[0]);
    t->plain = true;
    const cw_type *taken = t->type; /* what the pausing form takes */
    if (t->type->variadic)
        t->called = called_type(unit, call, t->type);
    else if (!t->type->prototyped)
        taken = t->called = cw_type_of_call(unit, t->type, call);
    call->thunk = cw_format(&unit->arena, "%s__any", t->name);
    call->thunk_has_callee = true;
    uint32_t at = place_before(unit, call);
    const cw_type *result = t->type->inner;
    const char *begin = cw_type_is_void(result) ? "" : "return ";
    const char *woven = cw_type_write(unit, cw_type_pointer_to(unit, taken), "co4_w",
                                      CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE);
    const char *cast = cw_type_write(unit, cw_type_pointer_to(unit, taken), "",
                                     CW_WRITE_FILE_SCOPE | CW_WRITE_PAUSABLE);
    cw_buf buf = { 0 };
    cw_marker_to(unit, at, &buf);
    cw_printf(&buf, "static __inline__ __attribute__((unused)) %s",
              cw_type_write(unit, result, cw_thunk_declarator(unit, t, "any", "co4_fiber *co4"),
                            CW_WRITE_FILE_SCOPE));
    cw_printf(&buf,
              " { static const co4_abi_pair *co4_last; %s = (%s)co4_abi_woven(&co4_last, "
              "(co4_abi_code *)co4_callee); if (co4_w != 0) { %sco4_w(co4",
              woven, cast, begin);
    for (size_t i = 0; i < taken->nparams; i++)
        cw_printf(&buf, ", co4_a%zu", i + 1);
    if (t->type->variadic)
        put_packed_parameters(unit, t, &buf);
    cw_puts(&buf, "); }");
    if (cw_plan_has(unit->options->plan, CW_PLAN_THROWS, "*")) { /* as cw_emit_caught_call */
        cw_puts(&buf, " else { co4_abi_catch co4_catch; if ((co4_catch.own[2] = "
                      "(void *)(co4_abi_size)co4_abi_setjmp(co4_catch.buf)) != 0) { "
                      "co4_abi_caught(co4, &co4_catch); ");
        cw_printf(&buf, "%s } co4_abi_catch_begin(co4, &co4_catch); ",
                  cw_return_zero(unit, result));
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
    cw_edit_add(unit, &unit->large, at, at, cw_take(&unit->arena, &buf));
}

/* `node` is a call by address, or the name of a function in the callee of a call. */
static void make_bridge(maker *m, cw_node *node)
{
    cw_unit *unit = m->unit;
    if (node->kind == CW_CALL) {
        make_call_by_address(m, node);
        return;
    }
    cw_thunk *t = thunk_of(m, node);
    if (t->made_bridge)
        return;
    uint32_t at = place_before(unit, node);
    cw_buf buf = { 0 };
    put_bridge(unit, t, at, &buf);
    cw_edit_add(unit, &unit->large, at, at, cw_take(&unit->arena, &buf));
}

void cw_thunks(cw_unit *unit)
{
    maker m = { .unit = unit };
    for (size_t i = 0; i < unit->nbridges; i++) /* first: an entry may have to declare one */
        make_bridge(&m, unit->bridges[i]);
    for (size_t i = 0; i < unit->nentries; i++)
        make(&m, unit->entries[i]);
}
