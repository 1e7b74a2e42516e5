/* stmt.c - statements of pausable functions, rewritten in place.
 *
 * Invariants: a statement changes only if necessary: its expression has a plan, it declares a
 * pinned local, or it is a loop whose parts contain points. All others, and every nested statement,
 * keep text and position. Inserted text carries line markers of its statement, and ends with one
 * for the user's next line.
 *
 * A loop whose condition contains a point becomes an endless loop that tests in its body.
 * `continue` becomes a goto if its target has moved. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/bug.h"
#include "emit/emit.h"
#include "text/unit.h"

/* if and switch: writes the plan before the statement, in a block of its own. */
static void emit_head(cw_emitter *e, const cw_node *node)
{
    const cw_node *condition = node->kids[0];
    cw_buf buf = { 0 };
    if (condition->plan == NULL)
        return;
    cw_puts(&buf, "{ ");
    cw_emit_plan(e, condition, &buf);
    cw_marker_to(e->unit, node->begin, &buf);
    cw_large_edit(e, node->begin, node->begin, &buf);
    cw_render(e->unit, condition, &buf);
    cw_large_edit(e, condition->begin, condition->end, &buf);
}

static void emit_tail(cw_emitter *e, const cw_node *node)
{
    if (node->kids[0]->plan != NULL)
        cw_edit_add(e->unit, &e->unit->large, node->end, node->end, " }");
}

static void emit_test(cw_emitter *e, const cw_node *condition, cw_buf *out)
{
    cw_emit_plan(e, condition, out);
    cw_marker_to(e->unit, condition->begin, out);
    cw_puts(out, "if (!(");
    cw_render(e->unit, condition, out);
    cw_puts(out, ")) break;");
}

/* Turns each `continue` of a loop into a jump to `label`. Returns false if there is none. */
static bool redirect_continues(cw_emitter *e, const cw_node *node, const char *label)
{
    if (node == NULL || node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR)
        return false;
    bool any = node->kind == CW_CONTINUE;
    if (any)
        cw_edit_add(e->unit, &e->unit->small, node->begin, node->end,
                    cw_format(&e->unit->arena, "goto %s;", label));
    for (size_t i = 0; i < node->nkids; i++)
        any |= redirect_continues(e, node->kids[i], label);
    return any;
}

static const char *new_label(cw_emitter *e)
{
    return cw_format(&e->unit->arena, "co4_next_%zu", ++e->func->nlabels);
}

/* Pragmas for a loop are right before it. They do not apply to a loop that waits, which may also be
 * rewritten. So this function removes them, up to the end of their line; line markers stay. */
static void drop_pragmas(cw_emitter *e, const cw_node *loop)
{
    const cw_unit *unit = e->unit;
    if (!loop->has_points)
        return;
    for (uint32_t end = loop->begin;;) {
        uint32_t begin = end;
        while (begin > 0 && unit->text[begin - 1] != '\n')
            begin--;
        const char *line = cw_strndup(&e->unit->arena, unit->text + begin, end - begin);
        line += strspn(line, " \t");
        if (*line == '#' && strncmp(line + 1 + strspn(line + 1, " \t"), "pragma", 6) == 0)
            cw_edit_add(e->unit, &e->unit->large, begin, end, "");
        else if (*line != '#' && *line != '\0')
            return;
        if (begin == 0)
            return;
        end = begin - 1;
    }
}

static void emit_while(cw_emitter *e, const cw_node *node)
{
    const cw_node *condition = node->kids[0], *body = node->kids[1];
    cw_buf buf = { 0 };
    if (condition->plan != NULL) {
        cw_puts(&buf, "for (;;) { ");
        emit_test(e, condition, &buf);
        cw_marker_to(e->unit, body->begin, &buf);
        cw_large_edit(e, node->begin, body->begin, &buf);
    }
    cw_emit_stmt(e, body);
    emit_tail(e, node);
}

static void emit_do(cw_emitter *e, const cw_node *node)
{
    const cw_node *body = node->kids[0], *condition = node->kids[1];
    if (condition->plan == NULL) {
        cw_emit_stmt(e, body);
        return;
    }
    const char *label = new_label(e);
    cw_buf buf = { 0 };
    cw_puts(&buf, "for (;;) {");
    cw_large_edit(e, node->begin, node->begin + 2, &buf); /* over "do" */
    bool continued = redirect_continues(e, body, label);
    cw_emit_stmt(e, body);
    cw_marker_to(e->unit, condition->begin, &buf);
    if (continued)
        cw_printf(&buf, "%s:; ", label);
    cw_puts(&buf, "{ ");
    emit_test(e, condition, &buf);
    cw_puts(&buf, " } }");
    cw_marker_to(e->unit, node->end, &buf);
    cw_large_edit(e, body->end, node->end, &buf);
}

/* A type defined in a `for` may have got a tag, which may not be declared there. */
static bool defines_type(const cw_node *declaration)
{
    for (size_t i = 0; i < declaration->nkids; i++)
        if (declaration->kids[i]->kind == CW_OTHER_DECL)
            return true;
    return false;
}

static void emit_for(cw_emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    const cw_node *init = node->kids[0], *condition = node->kids[1], *step = node->kids[2],
                  *body = node->kids[3];
    bool move_init = init != NULL &&
                     (init->plan != NULL ||
                      (init->type == NULL &&
                       (init->has_points || cw_needs_rewriting(unit, init) || defines_type(init))));
    bool move_condition = condition != NULL && condition->plan != NULL;
    bool move_step = step != NULL && step->plan != NULL;
    if (!move_init && !move_condition && !move_step) {
        cw_emit_stmt(e, body);
        return;
    }
    cw_buf buf = { 0 };
    if (move_init) {
        cw_puts(&buf, "{ ");
        cw_emit_init_part(e, init, &buf);
        cw_marker_to(unit, node->begin, &buf);
    }
    cw_puts(&buf, "for (");
    if (init != NULL && !move_init) {
        uint32_t end = init->type == NULL ? init->end - 1
                                          : init->end; /* a declaration ends with its ';' */
        cw_edit_apply(unit, &unit->small, init->begin, end, &buf);
    }
    cw_puts(&buf, "; ");
    if (condition != NULL && !move_condition)
        cw_edit_apply(unit, &unit->small, condition->begin, condition->end, &buf);
    cw_puts(&buf, "; ");
    if (step != NULL && !move_step)
        cw_edit_apply(unit, &unit->small, step->begin, step->end, &buf);
    cw_puts(&buf, ") { ");
    if (move_condition)
        emit_test(e, condition, &buf);
    cw_marker_to(unit, body->begin, &buf);
    cw_large_edit(e, node->begin, body->begin, &buf);

    const char *label = move_step ? new_label(e) : NULL;
    bool continued = move_step && redirect_continues(e, body, label);
    cw_emit_stmt(e, body);
    if (move_step) {
        cw_marker_to(unit, step->begin, &buf);
        if (continued)
            cw_printf(&buf, "%s:; ", label);
        cw_puts(&buf, "{ ");
        cw_emit_plan(e, step, &buf);
        cw_puts(&buf, " }");
    }
    cw_puts(&buf, " }");
    if (move_init) {
        cw_put_scope_cleanups(e, node, &buf);
        cw_puts(&buf, " }");
    }
    if (move_step)
        cw_marker_to(unit, node->end, &buf);
    cw_large_edit(e, node->end, node->end, &buf);
}

/* Writes the last expression of a statement expression, which gives it its value. */
static void emit_value(cw_emitter *e, const cw_node *node, cw_buf *out)
{
    cw_buf value = { 0 };
    cw_marker_to(e->unit, node->kids[0]->begin, &value);
    cw_render_value(e->unit, node->kids[0], node->value, &value);
    cw_put_assign(e->unit, node->value->type, cw_local_ref(e->unit, node->value), value.data, out);
    cw_buf_free(&value);
}

/* Types that an expression statement defines are known to the end of its block. */
static void emit_types(cw_emitter *e, const cw_node *statement, cw_buf *out)
{
    const cw_node *up = statement->parent;
    while (up != NULL && (up->kind == CW_LABEL || up->kind == CW_CASE || up->kind == CW_DEFAULT))
        up = up->parent;
    if (up == NULL || up->kind != CW_BLOCK)
        return;
    cw_buf types = { 0 };
    cw_emit_types(e, statement->kids[0], &types);
    if (types.data != NULL) /* no declaration may be behind a label */
        cw_printf(out, "%s%s", up != statement->parent ? "; " : "", types.data);
    cw_buf_free(&types);
}

void cw_emit_stmt(cw_emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    cw_buf buf = { 0 };
    if (node == NULL)
        return;
    switch (node->kind) {
    case CW_BLOCK:
    case CW_LABEL:
    case CW_OTHER_STMT:
        if (node->braced && node->has_points)
            cw_edit_add(unit, &unit->large, node->begin, node->begin, "{ ");
        for (size_t i = 0; i < node->nkids; i++)
            if (node->kids[i] != NULL && node->kids[i]->type == NULL)
                cw_emit_stmt(e, node->kids[i]);
        if (node->braced && node->has_points)
            cw_edit_add(unit, &unit->large, node->end, node->end, " }");
        else if (node->kind == CW_BLOCK)
            cw_emit_block_end(e, node);
        break;
    case CW_ATTRIBUTED:
        /* attributes apply to the user's statement; for pragmas see drop_pragmas */
        if (node->nkids == 1 && node->has_points) {
            if (unit->text[node->begin] != '#')
                cw_edit_add(unit, &unit->large, node->begin, node->kids[0]->begin, "");
            cw_emit_stmt(e, node->kids[0]);
        }
        break;
    case CW_CASE:
    case CW_DEFAULT:
        if (node->nkids > 0)
            cw_emit_stmt(e, node->kids[node->nkids - 1]);
        break;
    case CW_DECL_STMT:
        cw_emit_decl_stmt(e, node);
        break;
    case CW_EXPR_STMT:
        if (node->unused && cw_strip(node->kids[0])->kind == CW_REF)
            cw_edit_add(unit, &unit->small, node->begin, node->begin, "(void)");
        if (node->kids[0]->plan == NULL && node->value == NULL)
            break;
        emit_types(e, node, &buf);
        cw_puts(&buf, "{ ");
        cw_emit_plan(e, node->kids[0], &buf);
        if (node->value != NULL)
            emit_value(e, node, &buf);
        cw_puts(&buf, " }");
        cw_marker_to(unit, node->end, &buf);
        cw_large_edit(e, node->begin, node->end, &buf);
        break;
    case CW_RETURN:
        cw_emit_return(e, node);
        break;
    case CW_GOTO:
    case CW_BREAK:
    case CW_CONTINUE:
        cw_emit_jump(e, node);
        break;
    case CW_INDIRECT_GOTO:
        if (node->kids[0]->plan == NULL)
            break;
        cw_puts(&buf, "{ ");
        cw_emit_plan(e, node->kids[0], &buf);
        cw_puts(&buf, " goto *(");
        cw_emit_rest(e, node->kids[0], &buf);
        cw_puts(&buf, "); }");
        cw_marker_to(unit, node->end, &buf);
        cw_large_edit(e, node->begin, node->end, &buf);
        break;
    case CW_IF:
        emit_head(e, node);
        cw_emit_stmt(e, node->kids[1]);
        cw_emit_stmt(e, node->kids[2]);
        emit_tail(e, node);
        break;
    case CW_SWITCH:
        emit_head(e, node);
        cw_emit_stmt(e, node->kids[1]);
        emit_tail(e, node);
        break;
    case CW_WHILE:
        drop_pragmas(e, node);
        emit_while(e, node);
        break;
    case CW_DO:
        drop_pragmas(e, node);
        emit_do(e, node);
        break;
    case CW_FOR:
        drop_pragmas(e, node);
        emit_for(e, node);
        break;
    case CW_VAR: /* parts of a declaration */
    case CW_OTHER_DECL:
    case CW_ASM:
    case CW_NULL_STMT:
        break;
    case CW_EXPRESSIONS:
        cw_bug("emit", "statement of kind %d", (int)node->kind);
    }
}
