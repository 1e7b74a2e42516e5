/* cleanup.c - the actions at the exits of a scope: at its end, by a jump, by return.
 *
 * In:  func->cleanups, the locals with a cleanup handler or memory of their own (passes/cleanup.c).
 * Out: edits of blocks and jumps.
 *
 * Handlers run newest first, as the compiler would run them. The compiler does not run them here:
 * woven code declares these locals in the frame. */
#include "ast/node.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "passes/passes.h"
#include "text/unit.h"

/* Ends the life of each local that is alive at an offset and not `kept` at the jump's target,
 * newest first. */
static void put_cleanups(cw_emitter *e, uint32_t at,
                         bool (*kept)(const cw_node *var, const void *to), const void *to,
                         cw_buf *out)
{
    const cw_func *func = e->func;
    for (size_t i = func->ncleanups; i-- > 0;) {
        const cw_node *var = func->cleanups[i];
        const cw_local *local = var->decl->as_local;
        if (!cw_is_alive(var, at) || kept(var, to))
            continue;
        if (var->decl->cleanup != NULL)
            cw_printf(out, "%s(&%s); ", var->decl->cleanup, cw_local_ref(e->unit, local));
        if (var->decl->kept_lengths && cw_type_bare(local->seen)->kind == CW_T_VLA)
            cw_printf(out, "co4_abi_block_drop(co4_f->%s); ", local->field);
    }
}

static bool kept_at_return(const cw_node *var, const void *to)
{
    (void)var;
    (void)to;
    return false;
}

void cw_put_return_cleanups(cw_emitter *e, uint32_t at, cw_buf *out)
{
    put_cleanups(e, at, kept_at_return, NULL, out);
}

static bool kept_at_label(const cw_node *var, const void *label)
{
    return cw_is_alive(var, ((const cw_decl *)label)->begin);
}

/* A loop ends after the scope that its header opens. */
static bool kept_by_loop(const cw_node *var, const void *loop)
{
    return var->decl->scope_begin <= ((const cw_node *)loop)->begin;
}

static bool is_of_other_scope(const cw_node *var, const void *scope)
{
    const cw_node *node = scope;
    return var->decl->scope_begin != node->begin || var->decl->scope_end != node->end;
}

static const cw_node *left_by(const cw_node *jump)
{
    const cw_node *node = jump->parent;
    while (node->kind != CW_WHILE && node->kind != CW_DO && node->kind != CW_FOR &&
           (node->kind != CW_SWITCH || jump->kind == CW_CONTINUE))
        node = node->parent;
    return node;
}

void cw_emit_jump(cw_emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    cw_buf calls = { 0 }, buf = { 0 };
    if (e->func->ncleanups == 0)
        return;
    if (node->kind == CW_GOTO)
        put_cleanups(e, node->begin, kept_at_label, node->decl, &calls);
    else
        put_cleanups(e, node->begin, kept_by_loop, left_by(node), &calls);
    if (calls.data == NULL)
        return;
    cw_printf(&buf, "{ %s", calls.data);
    cw_edit_apply(unit, &unit->small, node->begin, node->end, &buf); /* it may have become a goto */
    cw_puts(&buf, " }");
    cw_large_edit(e, node->begin, node->end, &buf);
    cw_buf_free(&calls);
}

void cw_put_scope_cleanups(cw_emitter *e, const cw_node *scope, cw_buf *out)
{
    if (e->func->ncleanups > 0)
        put_cleanups(e, scope->end - 1, is_of_other_scope, scope, out);
}

void cw_emit_block_end(cw_emitter *e, const cw_node *block)
{
    cw_buf buf = { 0 };
    const cw_node *last = block->nkids > 0 ? block->kids[block->nkids - 1] : NULL;
    if (last != NULL && (last->kind == CW_RETURN || last->kind == CW_BREAK ||
                         last->kind == CW_CONTINUE || last->kind == CW_GOTO))
        return; /* unreachable code would look like a case that falls through */
    cw_put_scope_cleanups(e, block, &buf);
    if (buf.data != NULL)
        cw_large_edit(e, block->end - 1, block->end - 1, &buf);
}

void cw_emit_return(cw_emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    const cw_node *value = node->kids[0];
    cw_buf calls = { 0 }, buf = { 0 };
    cw_put_return_cleanups(e, node->begin, &calls);
    if (calls.data == NULL && (value == NULL || value->plan == NULL))
        return;
    cw_puts(&buf, "{ ");
    if (value != NULL && value->plan != NULL)
        cw_emit_plan(e, value, &buf);
    cw_marker_to(unit, node->begin, &buf);
    if (value == NULL || cw_type_is_void(value->type)) {
        if (value != NULL && value->plan == NULL) {
            cw_render(unit, value, &buf);
            cw_puts(&buf, "; ");
        }
        cw_printf(&buf, "%sreturn;", calls.data != NULL ? calls.data : "");
    } else if (calls.data == NULL) {
        cw_puts(&buf, "return ");
        cw_render(unit, value, &buf);
        cw_puts(&buf, ";");
    } else {
        const cw_type *type = cw_type_unqualified(unit, e->func->decl->type->inner);
        cw_printf(&buf, "%s = ", cw_type_write(unit, type, "co4_r", 0));
        cw_render_value(unit, value, NULL, &buf);
        cw_printf(&buf, "; %sreturn co4_r;", calls.data);
    }
    cw_puts(&buf, " }");
    cw_marker_to(unit, node->end, &buf);
    cw_large_edit(e, node->begin, node->end, &buf);
    cw_buf_free(&calls);
}
