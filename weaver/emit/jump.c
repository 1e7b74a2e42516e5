/* jump.c - setjmp and longjmp in woven code: see abi.h, "setjmp, longjmp".
 *
 * A function with points has at its entry
 *
 *     int co4_value = setjmp(co4_f->co4_real);
 *     if (co4_value != 0) { co4_f = co4_abi_jumps_landed(co4_value); goto co4_land; }
 *
 * and `co4_land` is before the switch that leads to the points of a resume. A setjmp of the user is
 * such a point. It notes its buffer and saves the locals, which the frame then has when a jump
 * comes back. After each call that pauses, a jump to this activation goes to `co4_land`, too.
 *
 * The user's buffer also gets its context from the C library. So plain code that knows nothing of
 * this can jump to an activation that has not paused since; elsewhere its longjmp ends in
 * co4_abi_jumps_arrived, which says so. Plain functions of a woven unit ask co4_abi_jump.
 *
 * Auto: a plain function that may end in a jump is called behind a setjmp (`co4_catch`). The jump
 * comes there first, and goes on as one of the caller's. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "text/unit.h"

/* An ordinary longjmp to an activation on the C stack comes here. */
void cw_put_catch(cw_unit *unit, const cw_func *func, cw_buf *out)
{
    const cw_node *call = func->catches;
    const char *real = cw_local_ref(unit, func->real);
    bool array = cw_type_bare(func->real->type)->kind == CW_T_ARRAY;
    cw_puts(out, "int co4_value = ");
    cw_render(unit, call->kids[0], out);
    cw_printf(out,
              "(%s%s%s); if (co4_value != 0) { co4_f = co4_abi_jumps_landed(co4_value); goto "
              "co4_land; } co4_abi_jumps_enter(co4, &co4_f->head, &%s, &%s, %s, co4_resumed); ",
              array ? "" : "&", real, call->nkids > 2 ? ", 0" : "", cw_local_ref(unit, func->jumps),
              real, unit->gnu ? "__builtin_frame_address(0)" : "0");
}

/* Renders the arguments from the second on, and the bracket. */
static void emit_arguments(cw_unit *unit, const cw_node *call, cw_buf *out)
{
    for (size_t i = 2; i < call->nkids; i++) {
        cw_puts(out, ", ");
        cw_render(unit, call->kids[i], out);
    }
    cw_puts(out, ");");
}

/* The locals are saved here and now: an ordinary longjmp finds them in the frame. */
void cw_emit_setjmp(const cw_emitter *e, const cw_step *step, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_point *point = step->point;
    const cw_node *call = step->node;
    const char *name = e->func->decl->name;
    cw_puts(out, "{ void *co4_to = (void *)(");
    cw_render(unit, call->kids[1], out);
    cw_puts(out, "); int co4_value = ");
    cw_render(unit, call->kids[0], out);
    cw_puts(out, "(co4_to");
    emit_arguments(unit, call, out);
    cw_printf(out,
              " if (co4_value != 0) { co4_f = co4_abi_jumps_arrived(%s, co4_value, "
              "&%s__func.points[%u]); goto co4_land; } ",
              unit->gnu ? "__builtin_frame_address(0)" : "0", name, point->entry);
    for (size_t k = 0; k < point->nlive; k++) {
        cw_put_copy(unit, point->live[k], true, out);
        cw_puts(out, " ");
    }
    cw_printf(out, "co4_abi_jumps_set(co4, &%s, co4_to, &%s__func.points[%u]); }",
              cw_local_ref(unit, e->func->jumps), name, point->entry);
    if (point->result != NULL && !point->unwanted)
        cw_printf(out, " %s = 0;", cw_local_ref(unit, point->result));
}

void cw_emit_longjmp(cw_unit *unit, const cw_node *call, cw_buf *out)
{
    cw_puts(out, "{ void *co4_to = (void *)(");
    cw_render(unit, call->kids[1], out);
    cw_puts(out, "); int co4_value = ");
    cw_render(unit, call->kids[2], out);
    cw_puts(out, "; co4_to = co4_abi_jump(co4, co4_to, co4_value); if (co4_to != 0) ");
    cw_render(unit, call->kids[0], out);
    cw_puts(out, "(co4_to, co4_value); }");
}

void cw_emit_caught_call(cw_unit *unit, const cw_point *point, const char *call, cw_buf *out)
{
    cw_puts(out, "if ((co4_catch.own[2] = (void *)(co4_abi_size)co4_abi_setjmp(co4_catch.buf)) == "
                 "0) { co4_abi_catch_begin(co4, &co4_catch); ");
    if (!point->unwanted && point->result != NULL)
        cw_put_assign(unit, point->result->type, cw_local_ref(unit, point->result), call, out);
    else
        cw_printf(out, "%s;", call);
    cw_puts(out, " co4_abi_catch_end(&co4_catch); } else { co4_abi_caught(co4, &co4_catch); }");
}

static void edit_plain(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (cw_jump_of(node) == CW_LONGJMP) {
        const cw_node *buf = node->kids[1];
        cw_edit_add(unit, &unit->small, buf->begin, buf->begin, "co4_abi_jump(0, (void *)(");
        cw_edit_add(unit, &unit->small, buf->end, buf->end, "), 0)");
    }
    for (size_t i = 0; i < node->nkids; i++)
        edit_plain(unit, node->kids[i]);
}

void cw_edit_plain_jumps(cw_unit *unit)
{
    bool know = false;
    for (size_t i = 0; !know && i < unit->ndecls; i++)
        know = strcmp(unit->decls[i]->name, "co4_abi_jump") == 0;
    for (size_t i = 0; know && i < unit->nfuncs; i++)
        if (!unit->funcs[i]->pausable)
            edit_plain(unit, unit->funcs[i]->body);
}
