/* steps.c - writes the plan of an expression: its temporaries, steps and suspension points.
 *
 * In:  steps and points of linearize.c, the locals that each point saves (liveness.c).
 * Out: text.
 *
 * A suspension point in woven code:
 *
 *     co4_t1 = score__co4(co4, v);
 *     if (co4_abi_pausing(co4)) {
 *         if ((co4_f = co4_abi_save(co4, co4_f, &relay__func.points[2])) != 0) { co4_f->i = i; … }
 *         return 0;
 *         co4_resume_2: i = co4_f->i; … co4_t1 = *(int *)co4_abi_result_of(co4);
 *     }
 *
 * In a function with one body, the first of the points with the same live locals has the label
 * co4_save_2 and saves `co4_at`; the others set that and jump there (entries.c).
 *
 * The resume label is inside the cold branch, so the fast path is only the test. The jump to it, at
 * the top of the body, is only in the resume entry's copy of the body. The code after the label has
 * the line of the function's name, like all code at entry: when a debugger stops in the user's
 * line, every local is restored. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "emit/emit.h"
#include "text/unit.h"

/* `list` is the number of all these declarations together. */
static void declare_temps(cw_emitter *e, const cw_step *step, size_t list, cw_buf *out)
{
    for (; step != NULL; step = step->next) {
        declare_temps(e, step->then, list, out);
        declare_temps(e, step->otherwise, list, out);
        cw_local *temp = step->kind == CW_STEP_IF ? NULL : step->temp;
        if (temp == NULL || temp->pinned || temp->declared_in == list)
            continue; /* both arms of a conditional set the same temporary */
        temp->declared_in = list;
        unsigned how = CW_WRITE_UNQUALIFIED | (temp->pausable ? CW_WRITE_PAUSABLE : 0);
        cw_printf(out, "%s; ", cw_type_write(e->unit, temp->type, temp->name, how));
    }
}

static bool forces_pauses(const cw_unit *unit)
{
    return unit->options->force_pauses || unit->options->stress;
}

static void emit_save(cw_emitter *e, const cw_point *point, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_func *func = e->func;
    const char *name = func->decl->name;
    const char *at = cw_format(&unit->arena, "&%s__func.points[co4_at]", name);
    if (point->saver == NULL) {
        at = cw_format(&unit->arena, "&%s__func.points[%u]", name, point->entry);
    } else {
        cw_printf(out, "co4_at = %u; ", point->entry);
        if (point->saver != point) {
            cw_printf(out, "goto co4_save_%u;", point->saver->id);
            return;
        }
        cw_printf(out, "co4_save_%u: ", point->id);
    }
    cw_printf(out, "if ((co4_f = co4_abi_save%s(co4, co4_f, %s)) != 0) {",
              func->one_body ? "_by_call" : "", at);
    cw_local *const *stored = point->stored != NULL ? point->stored : point->live;
    size_t nstored = point->stored != NULL ? point->nstored : point->nlive;
    for (size_t k = 0; k < nstored; k++) {
        const cw_local *local = stored[k];
        /* The frame still has the value that was saved first. A single body would need a test at
         * run time, which costs more than the copy. */
        bool once = local->is_param && !local->decl->assigned && !func->one_body;
        cw_puts(out, once ? " if (!co4_resumed) " : " ");
        cw_put_copy(unit, local, true, out);
    }
    if (forces_pauses(unit) && point->wide && !point->unwanted && !point->result->pinned)
        cw_put_assign(unit, point->result->type, cw_field_ref(unit, point->result),
                      point->result->name, out);
    cw_puts(out, " }");
}

static const char *arrived_result(cw_unit *unit, const cw_local *result)
{
    return cw_result_place(unit, result->type, NULL, result->pausable ? CW_WRITE_PAUSABLE : 0);
}

static void emit_restore(cw_emitter *e, const cw_point *point, cw_buf *out)
{
    cw_unit *unit = e->unit;
    for (size_t k = 0; k < point->nlive; k++) {
        const cw_local *local = point->live[k];
        if (local->at_entry)
            continue;
        cw_puts(out, " ");
        cw_put_copy(unit, local, false, out);
    }
    const cw_local *result = point->result;
    if (result == NULL || point->unwanted)
        return;
    cw_puts(out, " ");
    if (!point->wide)
        cw_put_assign(unit, result->type, cw_local_ref(unit, result), arrived_result(unit, result),
                      out);
    else if (!result->pinned)
        cw_put_assign(unit, result->type, result->name, cw_field_ref(unit, result), out);
}

static void emit_call(cw_emitter *e, const cw_step *step, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_point *point = step->point;
    bool is_call = step->node->kind == CW_CALL;
    cw_buf call = { 0 };
    cw_jump jump = is_call ? cw_jump_of(step->node) : CW_NO_JUMP;
    bool forced = forces_pauses(unit) && jump == CW_NO_JUMP;
    if (is_call)
        cw_marker_to(unit, point->at, out);
    if (is_call && jump == CW_NO_JUMP)
        cw_render_itself(unit, step->node, &call);
    if (!is_call)
        ; /* loop_yields.c */
    else if (step->node->catches)
        cw_emit_caught_call(unit, point, call.data, out);
    else if (jump == CW_SETJMP)
        cw_emit_setjmp(e, step, out);
    else if (jump == CW_LONGJMP)
        cw_emit_longjmp(unit, step->node, out);
    else if (!point->unwanted && point->result != NULL)
        cw_put_assign(unit, point->result->type, cw_local_ref(unit, point->result), call.data, out);
    else
        cw_printf(out, "%s;", call.data);
    cw_buf_free(&call);
    if (forced) {
        if (point->result != NULL && !point->wide) {
            cw_puts(out, " if (!co4_abi_pausing(co4)) ");
            cw_put_assign(unit, point->result->type, arrived_result(unit, point->result),
                          cw_local_ref(unit, point->result), out);
        }
        if (unit->options->stress)
            cw_printf(out, " co4_abi_stress(co4, %lluu, co4_resumed);", unit->options->seed);
        else
            cw_puts(out, " co4_abi_force_pause(co4, co4_resumed);");
    }
    cw_marker_to(unit, point->at, out);
    /* a fiber that jumps is never resumed here */
    const char *test = jump == CW_LONGJMP    ? "1"
                       : is_call || forced   ? "co4_abi_pausing(co4)"
                       : step->node->decides ? "co4_abi_decide(co4)"
                       : point->counts       ? "co4_abi_count(&co4_n)"
                                             : "co4_abi_reduce(co4)";
    cw_printf(out,
              unit->gnu ? "if (__builtin_expect(%s, 0)) { /* point %u */ "
                        : "if (%s) { /* point %u */ ",
              test, point->id);
    if (e->func->jumps != NULL)
        cw_printf(out, "if (co4_abi_jumps_here(co4, &%s)) goto co4_land; ",
                  cw_local_ref(unit, e->func->jumps));
    emit_save(e, point, out);
    if (point->saver == NULL || point->saver == point)
        cw_printf(out, " %s", cw_return_zero(unit, e->func->decl->type->inner));
    cw_marker_to(unit, cw_definition_of(e->func->decl), out);
    cw_printf(out, "co4_resume_%u:;", point->id);
    emit_restore(e, point, out);
    cw_puts(out, jump == CW_LONGJMP && unit->gnu ? " __builtin_unreachable(); }" : " }");
    cw_marker_to(unit, point->at, out);
}

static void emit_eval(cw_emitter *e, const cw_step *step, cw_buf *out)
{
    cw_buf value = { 0 };
    cw_render_value(e->unit, step->node, step->temp, &value);
    cw_put_assign(e->unit, step->temp->type, cw_local_ref(e->unit, step->temp), value.data, out);
    cw_buf_free(&value);
}

static void emit_void(cw_emitter *e, const cw_node *node, cw_buf *out)
{
    bool acts = node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN ||
                node->kind == CW_CALL || node->kind == CW_ENTRY || cw_type_is_void(node->type);
    cw_puts(out, acts ? "" : "(void)(");
    cw_render_itself(e->unit, node, out);
    cw_puts(out, acts ? ";" : ");");
}

static void emit_steps(cw_emitter *e, const cw_step *step, cw_buf *out)
{
    cw_unit *unit = e->unit;
    for (; step != NULL; step = step->next) {
        if (step->kind == CW_STEP_CALL) {
            emit_call(e, step, out);
            continue;
        }
        const cw_node *node = step->node;
        if (node != NULL)
            cw_marker_to(unit, node->begin, out);
        switch (step->kind) {
        case CW_STEP_EVAL:
            emit_eval(e, step, out);
            break;
        case CW_STEP_STORE: {
            cw_buf place = { 0 };
            cw_render(unit, node, &place);
            cw_put_assign(unit, step->temp->type, place.data, cw_local_ref(unit, step->temp), out);
            cw_buf_free(&place);
            break;
        }
        case CW_STEP_TRUTH:
            cw_printf(out, "%s = (", cw_local_ref(unit, step->temp));
            cw_render(unit, node, out);
            cw_puts(out, ") != 0;");
            break;
        case CW_STEP_VOID:
            emit_void(e, node, out);
            break;
        case CW_STEP_IF:
            cw_printf(out, "if (%s", step->negate ? "!" : "");
            if (step->temp != NULL)
                cw_puts(out, cw_local_ref(unit, step->temp));
            else
                cw_render(unit, node, out);
            cw_puts(out, ") {");
            emit_steps(e, step->then, out);
            cw_puts(out, " }");
            if (step->otherwise != NULL) {
                cw_puts(out, " else {");
                emit_steps(e, step->otherwise, out);
                cw_puts(out, " }");
            }
            break;
        case CW_STEP_BLOCK: {
            const cw_node *block = node->kids[0];
            cw_emit_stmt(e, block);
            cw_edit_apply_both(unit, block->begin, block->end, out);
            break;
        }
        case CW_STEP_CALL:
            break;
        }
    }
}

/* ---- types that an expression defines ---- */

static bool is_in_statement_expression(const cw_node *node, uint32_t at)
{
    if (node == NULL || at < node->begin || at >= node->end)
        return false;
    bool inside = node->kind == CW_STMT_EXPR;
    for (size_t i = 0; !inside && i < node->nkids; i++)
        inside = is_in_statement_expression(node->kids[i], at);
    return inside;
}

static bool is_type_of_temp(const cw_step *step, const cw_tag *tag)
{
    bool any = false;
    for (; step != NULL && !any; step = step->next) {
        any = is_type_of_temp(step->then, tag) || is_type_of_temp(step->otherwise, tag);
        for (const cw_type *type = step->temp != NULL ? step->temp->type : NULL; type != NULL;
             type = type->inner)
            any |= type->tag == tag;
    }
    return any;
}

/* Offset after a definition with the attributes behind it. */
static uint32_t end_of_definition(const cw_unit *unit, const cw_tag *tag)
{
    uint32_t end = tag->end;
    for (;;) {
        uint32_t at = cw_skip_blank(unit, end), open = cw_skip_blank(unit, cw_skip_word(unit, at));
        if (strncmp(unit->text + at, "__attribute", 11) != 0 || unit->text[open] != '(')
            return end;
        end = cw_skip_group(unit, open);
    }
}

uint32_t cw_move_type(cw_unit *unit, cw_tag *tag, cw_buf *out)
{
    const cw_type type = { .kind = *tag->keyword == 'e' ? CW_T_ENUM : CW_T_RECORD, .tag = tag };
    const char *name = cw_type_write(unit, &type, "", 0);
    uint32_t behind = end_of_definition(unit, tag);
    tag->moved = true;
    cw_marker_to(unit, tag->begin, out);
    cw_edit_apply(unit, &unit->small, tag->begin, behind, out);
    cw_puts(out, "; ");
    /* alone it would declare another type of its name */
    bool alone = unit->text[cw_skip_blank(unit, behind)] == ';';
    cw_edit_add(unit, &unit->small, tag->begin, behind, alone ? "" : name);
    return behind;
}

void cw_emit_types(cw_emitter *e, const cw_node *expr, cw_buf *out)
{
    cw_unit *unit = e->unit;
    size_t i;
    CW_SEARCH(i, unit->ntags, unit->tags[i]->begin >= expr->begin);
    uint32_t behind = 0; /* a type inside another type's definition is part of that text */
    for (; i < unit->ntags && unit->tags[i]->begin < expr->end; i++) {
        cw_tag *tag = unit->tags[i];
        if (tag->end <= tag->begin || tag->begin < behind || tag->moved ||
            (is_in_statement_expression(expr, tag->begin) && !is_type_of_temp(expr->plan, tag)))
            continue;
        behind = cw_move_type(unit, tag, out);
    }
}

/* ---- plans ---- */

void cw_emit_plan(cw_emitter *e, const cw_node *expr, cw_buf *out)
{
    cw_buf temps = { 0 };
    cw_emit_types(e, expr, out);
    declare_temps(e, expr->plan, ++e->unit->next_order, &temps);
    if (temps.data != NULL)
        cw_puts(out, temps.data);
    cw_buf_free(&temps);
    emit_steps(e, expr->plan, out);
}

void cw_emit_rest(cw_emitter *e, const cw_node *expr, cw_buf *out)
{
    cw_marker_to(e->unit, expr->begin, out);
    cw_render(e->unit, expr, out);
}
