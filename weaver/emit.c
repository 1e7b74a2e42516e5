/* emit.c - statements of pausable functions, rewritten where they stand.
 *
 * In:  plans, points with what is live in them, frames.
 * Out: unit->out, the woven text.
 *
 * Only a statement that needs it changes: one whose expression has a plan, a declaration of a pinned local, a loop whose
 * parts hold points. Everything else, and every nested statement, keeps its text and place. What is inserted carries line markers
 * of the statement it belongs to, and ends with one that puts the user's next line back in step.
 *
 * A suspension point in woven code:
 *
 *     co4_t1 = score__co4(co4, v);
 *     if (co4_abi_pausing(co4)) {
 *         if ((co4_f = co4_abi_save(co4, co4_f, &relay__func, 2)) != 0) { co4_f->i = i; … }
 *         return 0;
 *         co4_resume_2: i = co4_f->i; … co4_t1 = *(int *)co4_abi_result_of(co4);
 *     }
 *
 * The resume label stands inside the cold branch, so the fast path is the test alone. The jump to it, at the top of the body, is
 * made in the resume entry's copy of the body only.
 *
 * A loop whose condition holds a point becomes an endless one that tests in its body; `continue` becomes a goto where what it
 * would jump to has moved. */
#include "weaver.h"

#include <string.h>

typedef struct emitter {
    cw_unit *unit;
    cw_func *func;
} emitter;

static void emit_stmt(emitter *e, const cw_node *node);

static const char *finish(emitter *e, cw_buf *buf)
{
    const char *text = cw_strdup(&e->unit->arena, buf->data != NULL ? buf->data : "");
    cw_buf_free(buf);
    return text;
}

static void large_edit(emitter *e, uint32_t begin, uint32_t end, cw_buf *buf)
{
    cw_edit_add(e->unit, &e->unit->large, begin, end, finish(e, buf));
}

/* ---- steps ---- */

static void declare_temps(emitter *e, const cw_step *step, cw_buf *out)
{
    for (; step != NULL; step = step->next) {
        declare_temps(e, step->then, out);
        declare_temps(e, step->otherwise, out);
        const cw_local *temp = step->kind == CW_STEP_IF ? NULL : step->temp;
        if (temp == NULL || temp->pinned)
            continue;
        char name[32];
        snprintf(name, sizeof name, "%s;", temp->name);
        if (strstr(out->data != NULL ? out->data : "", name) != NULL)
            continue; /* both arms of a conditional set the same one */
        unsigned how = CW_WRITE_UNQUALIFIED | (temp->coloured ? CW_WRITE_COLOURED : 0);
        cw_printf(out, "%s; ", cw_type_write(e->unit, temp->type, temp->name, how));
    }
}

/* Copies a local to its field or back. Raw bytes are copied as such: the name of their type may mean
 * another one where the point is. */
static void put_copy(cw_unit *unit, const cw_local *local, bool save, cw_buf *out)
{
    const char *field = cw_format(&unit->arena, "co4_f->%s", local->field);
    if (!local->bytes)
        cw_put_assign(unit, local->type, save ? field : local->name, save ? local->name : field,
                      out);
    else if (save)
        cw_printf(out, "co4_abi_copy(%s, &%s, sizeof %s);", field, local->name, local->name);
    else
        cw_printf(out, "co4_abi_copy(&%s, %s, sizeof %s);", local->name, field, local->name);
}

static bool forces_pauses(const cw_unit *unit)
{
    return unit->options->force_pauses || unit->options->stress;
}

/* What makes a call that has not paused do so after all. */
static const char *forced_pause(cw_unit *unit)
{
    if (!unit->options->stress)
        return "co4_abi_force_pause(co4, co4_resumed);";
    return cw_format(&unit->arena, "co4_abi_stress(co4, %lluu, co4_resumed);", unit->options->seed);
}

static void emit_save(emitter *e, const cw_point *point, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_func *func = e->func;
    const char *name = func->decl->name;
    cw_printf(out, "if ((co4_f = co4_abi_save(co4, co4_f, &%s__func, %u)) != 0) {", name,
              point->id);
    for (size_t k = 0; k < func->nlocals; k++) {
        const cw_local *local = func->locals[k];
        if (!cw_bit(point->live, k))
            continue;
        bool once = local->is_param && !local->decl->assigned; /* as it was when first saved */
        cw_puts(out, once ? " if (!co4_resumed) " : " ");
        put_copy(unit, local, true, out);
    }
    if (forces_pauses(unit) && point->wide && !point->unwanted && !point->result->pinned)
        cw_put_assign(unit, point->result->type, cw_field_ref(unit, point->result),
                      point->result->name, out);
    cw_puts(out, " }");
}

/* The place in the fiber where a result waits, as an lvalue. */
static const char *arrived_result(cw_unit *unit, const cw_local *result)
{
    const char *type = cw_type_write(unit, cw_type_pointer_to(unit, result->type), "",
                                     result->coloured ? CW_WRITE_COLOURED : 0);
    return cw_format(&unit->arena, "*(%s)co4_abi_result_of(co4)", type);
}

static void emit_restore(emitter *e, const cw_point *point, cw_buf *out)
{
    cw_unit *unit = e->unit;
    for (size_t k = 0; k < e->func->nlocals; k++) {
        const cw_local *local = e->func->locals[k];
        if (!cw_bit(point->live, k))
            continue;
        cw_puts(out, " ");
        put_copy(unit, local, false, out);
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

static void emit_call(emitter *e, const cw_step *step, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_point *point = step->point;
    bool is_call = step->node->kind == CW_CALL;
    cw_buf call = { 0 };
    if (is_call) {
        cw_marker_to(unit, point->at, out);
        cw_render_itself(unit, step->node, &call);
    }
    if (!is_call)
        ; /* pace.c */
    else if (!point->unwanted && point->result != NULL)
        cw_put_assign(unit, point->result->type, cw_local_ref(unit, point->result), call.data, out);
    else
        cw_printf(out, "%s;", call.data);
    cw_buf_free(&call);
    if (forces_pauses(unit)) {
        if (point->result != NULL && !point->wide) {
            cw_puts(out, " if (!co4_abi_pausing(co4)) ");
            cw_put_assign(unit, point->result->type, arrived_result(unit, point->result),
                          cw_local_ref(unit, point->result), out);
        }
        cw_printf(out, " %s", forced_pause(unit));
    }
    cw_marker_to(unit, point->at, out);
    const char *test = is_call || forces_pauses(unit) ? "co4_abi_pausing(co4)"
                                                      : "co4_abi_reduce(co4)";
    cw_printf(out,
              unit->gnu ? "if (__builtin_expect(%s, 0)) { /* point %u */ "
                        : "if (%s) { /* point %u */ ",
              test, point->id);
    emit_save(e, point, out);
    const char *zero = cw_zero(unit, e->func->decl->type->inner);
    cw_printf(out, " return%s%s; co4_resume_%u:;", *zero != '\0' ? " " : "", zero, point->id);
    emit_restore(e, point, out);
    cw_puts(out, " }");
}

static void emit_eval(emitter *e, const cw_step *step, cw_buf *out)
{
    cw_buf value = { 0 };
    if (step->node->temp == step->temp)
        cw_render_itself(e->unit, step->node, &value);
    else
        cw_render(e->unit, step->node, &value);
    cw_put_assign(e->unit, step->temp->type, cw_local_ref(e->unit, step->temp), value.data, out);
    cw_buf_free(&value);
}

static void emit_void(emitter *e, const cw_node *node, cw_buf *out)
{
    bool acts = node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN ||
                node->kind == CW_CALL || node->kind == CW_ENTRY || cw_type_is_void(node->type);
    cw_puts(out, acts ? "" : "(void)(");
    cw_render_itself(e->unit, node, out);
    cw_puts(out, acts ? ";" : ");");
}

static void emit_steps(emitter *e, const cw_step *step, cw_buf *out)
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
            emit_stmt(e, block);
            cw_edit_apply_both(unit, block->begin, block->end, out);
            break;
        }
        case CW_STEP_CALL:
            break;
        }
    }
}

/* The plan of a full expression: declarations of its temporaries, then its steps. */
static void emit_plan(emitter *e, const cw_node *expr, cw_buf *out)
{
    cw_buf temps = { 0 };
    declare_temps(e, expr->plan, &temps);
    if (temps.data != NULL)
        cw_puts(out, temps.data);
    cw_buf_free(&temps);
    emit_steps(e, expr->plan, out);
}

/* What remains of a planned expression, with its line. */
static void emit_rest(emitter *e, const cw_node *expr, cw_buf *out)
{
    cw_marker_to(e->unit, expr->begin, out);
    cw_render(e->unit, expr, out);
}

/* ---- the end of scopes ---- */

/* What is alive at an offset, and not `kept` where control goes, comes to its end: newest first. */
static void put_endings(emitter *e, uint32_t at, bool (*kept)(const cw_node *owned, const void *to),
                        const void *to, cw_buf *out)
{
    const cw_func *func = e->func;
    for (size_t i = func->nowned; i-- > 0;) {
        const cw_node *owned = func->owned[i];
        const cw_local *local = owned->decl->as_local;
        if (!cw_is_alive(owned, at) || kept(owned, to))
            continue;
        if (owned->decl->cleanup != NULL)
            cw_printf(out, "%s(&%s); ", owned->decl->cleanup, cw_local_ref(e->unit, local));
        if (owned->decl->kept_lengths && cw_type_bare(local->seen)->kind == CW_T_VLA)
            cw_printf(out, "co4_abi_block_drop(co4_f->%s); ", local->field);
    }
}

static bool kept_at_return(const cw_node *owned, const void *to)
{
    (void)owned;
    (void)to;
    return false;
}

static bool kept_at_label(const cw_node *owned, const void *label)
{
    return cw_is_alive(owned, ((const cw_decl *)label)->begin);
}

/* A loop ends after the scope that its header opens has. */
static bool kept_by_loop(const cw_node *owned, const void *loop)
{
    return owned->decl->scope_begin <= ((const cw_node *)loop)->begin;
}

static bool is_of_other_scope(const cw_node *owned, const void *scope)
{
    const cw_node *node = scope;
    return owned->decl->scope_begin != node->begin || owned->decl->scope_end != node->end;
}

static const cw_node *left_by(const cw_node *jump)
{
    const cw_node *node = jump->parent;
    while (node->kind != CW_WHILE && node->kind != CW_DO && node->kind != CW_FOR &&
           (node->kind != CW_SWITCH || jump->kind == CW_CONTINUE))
        node = node->parent;
    return node;
}

static void emit_jump(emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    cw_buf calls = { 0 }, buf = { 0 };
    if (e->func->nowned == 0)
        return;
    if (node->kind == CW_GOTO)
        put_endings(e, node->begin, kept_at_label, node->decl, &calls);
    else
        put_endings(e, node->begin, kept_by_loop, left_by(node), &calls);
    if (calls.data == NULL)
        return;
    cw_printf(&buf, "{ %s", calls.data);
    cw_edit_apply(unit, &unit->small, node->begin, node->end, &buf); /* perhaps a goto by now */
    cw_puts(&buf, " }");
    large_edit(e, node->begin, node->end, &buf);
    cw_buf_free(&calls);
}

/* Where control falls out of a block; or of a loop whose header declares. */
static void put_scope_end(emitter *e, const cw_node *scope, cw_buf *out)
{
    if (e->func->nowned > 0)
        put_endings(e, scope->end - 1, is_of_other_scope, scope, out);
}

static void emit_block_end(emitter *e, const cw_node *block)
{
    cw_buf buf = { 0 };
    const cw_node *last = block->nkids > 0 ? block->kids[block->nkids - 1] : NULL;
    if (last != NULL && (last->kind == CW_RETURN || last->kind == CW_BREAK ||
                         last->kind == CW_CONTINUE || last->kind == CW_GOTO))
        return; /* code that is not reached would look like a case that falls through */
    put_scope_end(e, block, &buf);
    if (buf.data != NULL)
        large_edit(e, block->end - 1, block->end - 1, &buf);
}

static void emit_return(emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    const cw_node *value = node->kids[0];
    cw_buf calls = { 0 }, buf = { 0 };
    put_endings(e, node->begin, kept_at_return, NULL, &calls);
    if (calls.data == NULL && (value == NULL || value->plan == NULL))
        return;
    cw_puts(&buf, "{ ");
    if (value != NULL && value->plan != NULL)
        emit_plan(e, value, &buf);
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
        cw_render(unit, value, &buf);
        cw_printf(&buf, "; %sreturn co4_r;", calls.data);
    }
    cw_puts(&buf, " }");
    cw_marker_to(unit, node->end, &buf);
    large_edit(e, node->begin, node->end, &buf);
    cw_buf_free(&calls);
}

/* ---- declarations ---- */

static bool wants_rewriting(const cw_node *var)
{
    const cw_local *local = var->decl->as_local;
    return local != NULL && (local->pinned || local->unqualify);
}

/* Does an initializer with a plan mention the variable itself? `struct s *p = get(sizeof *p)`: the plan, which stands before
 * the rest, has to stand behind the declarator all the same. By the text, for operands of typeof have no nodes. */
static bool names_itself(const cw_unit *unit, const cw_node *var)
{
    const cw_node *init = var->kids[0];
    size_t length = strlen(var->decl->name);
    if (init == NULL || init->plan == NULL || var->decl->as_local == NULL)
        return false;
    for (uint32_t at = init->begin, end; at < init->end; at = end) {
        for (end = at; cw_is_word(unit->text[end]);)
            end++;
        if (end - at == length && memcmp(unit->text + at, var->decl->name, length) == 0)
            return true;
        if (end == at)
            end = cw_skip_unit(unit, at);
    }
    return false;
}

/* Must the declaration be written anew, declarator by declarator? */
static bool needs_rewriting(const cw_unit *unit, const cw_node *node)
{
    bool first = true, defines = false;
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        defines |= kid->kind == CW_OTHER_DECL; /* a type, which the plan may need */
        if (kid->kind == CW_OTHER_DECL && kid->decl != NULL && kid->decl->kept_lengths)
            return true;
        if (kid->kind != CW_VAR)
            continue;
        bool planned = kid->kids[0] != NULL && kid->kids[0]->plan != NULL;
        if (wants_rewriting(kid) || names_itself(unit, kid) || (planned && (defines || !first)))
            return true;
        first = false;
    }
    return false;
}

/* Gives a local that is declared already, or lives in the frame, its first value. */
static void emit_first_value(emitter *e, const cw_local *local, const cw_node *init, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const char *ref = cw_local_ref(unit, local);
    const cw_type *bare = cw_type_bare(local->type);
    bool list = init->kind == CW_INIT_LIST, array = bare->kind == CW_T_ARRAY;
    if (!list && !array && cw_type_is_assignable(local->type)) {
        cw_printf(out, "%s = ", ref);
        cw_render(unit, init, out);
        cw_puts(out, ";");
        return;
    }
    unsigned how = CW_WRITE_UNQUALIFIED | (local->coloured ? CW_WRITE_COLOURED : 0);
    if (list && !array && cw_type_is_assignable(local->type)) {
        cw_printf(out, "%s = (%s)", ref, cw_type_write(unit, local->type, "", how));
        cw_render(unit, init, out);
        cw_puts(out, ";");
        return;
    }
    bool wrap = !list; /* a string, or a struct with const members: { it } */
    const char *shape = !list && !array ? "[1]" : "";
    cw_printf(out, "co4_abi_copy((void *)&%s, &(%s)%s", ref,
              cw_type_write(unit, local->type, shape, how), wrap ? "{ " : "");
    cw_render(unit, init, out);
    cw_printf(out, "%s, sizeof %s);", wrap ? " }" : "", ref);
}

/* The lengths in its type get their values where it is declared. */
static void put_lengths(emitter *e, const cw_decl *decl, cw_buf *out)
{
    for (size_t i = 0; i < decl->nlengths; i++) {
        const cw_node *size = decl->lengths[i].size;
        emit_plan(e, size, out);
        cw_marker_to(e->unit, size->begin, out);
        cw_printf(out, "%s = ", cw_local_ref(e->unit, decl->lengths[i].local));
        cw_render(e->unit, size, out);
        cw_puts(out, "; ");
    }
}

/* Memory for an array; without it the activation ends, as when it could not have its frame. */
static void put_block(emitter *e, const cw_node *var, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_local *local = var->decl->as_local;
    const char *zero = cw_zero(unit, e->func->decl->type->inner);
    cw_printf(out, "if ((co4_f->%s = co4_abi_block_take(co4, ", local->field);
    cw_put_block_size(unit, local, out);
    cw_puts(out, ")) == 0) { ");
    put_endings(e, var->decl->name_at, kept_at_return, NULL, out);
    cw_printf(out, "co4_abi_frame_drop(co4, co4_f); return%s%s; }", *zero != '\0' ? " " : "", zero);
}

static void emit_declarator(emitter *e, const cw_node *var, cw_buf *out)
{
    cw_unit *unit = e->unit;
    const cw_local *local = var->decl->as_local;
    const cw_node *init = var->kids[0];
    put_lengths(e, var->decl, out);
    if (local != NULL && local->seen != NULL && cw_type_bare(local->seen)->kind == CW_T_VLA)
        put_block(e, var, out);
    bool own = names_itself(unit, var) && !local->pinned;
    if (own) {
        cw_marker_to(unit, var->decl->name_at, out);
        cw_printf(
            out, "%s;",
            cw_type_write(unit, var->decl->type, local->name,
                          CW_WRITE_UNQUALIFIED | (var->decl->marked ? CW_WRITE_COLOURED : 0)));
    }
    if (init != NULL && init->plan != NULL)
        emit_plan(e, init, out);
    cw_marker_to(unit, var->decl->name_at, out);
    if (own) {
        emit_first_value(e, local, init, out);
        return;
    }
    if (local != NULL && local->pinned) {
        if (init != NULL)
            emit_first_value(e, local, init, out);
        return;
    }
    bool unqualify = local != NULL && local->unqualify;
    unsigned how = (unqualify ? CW_WRITE_UNQUALIFIED : 0) |
                   (var->decl->marked ? CW_WRITE_COLOURED : 0);
    const char *name = var->decl->rename != NULL ? var->decl->rename : var->decl->name;
    cw_puts(out, cw_type_write(unit, var->decl->type, name, how));
    uint32_t from = var->begin, to = init != NULL ? init->begin : var->end;
    if (strstr(cw_strndup(&unit->arena, unit->text + from, to > from ? to - from : 0), "unused") !=
            NULL &&
        unit->gnu)
        cw_puts(out, " __attribute__((unused))");
    if (init != NULL) {
        cw_puts(out, " = ");
        cw_render(unit, init, out);
    }
    if (init == NULL && local != NULL && local->clear && local->saved)
        cw_printf(out, " = %s", cw_clear_value(local->type));
    cw_puts(out, ";");
}

static void emit_rewritten_decl(emitter *e, const cw_node *node, cw_buf *out)
{
    cw_unit *unit = e->unit;
    for (size_t i = 0; i < node->nkids; i++) /* names anonymous tags before their text is copied */
        if (node->kids[i]->kind == CW_VAR)
            cw_type_write(unit, node->kids[i]->decl->type, "", CW_WRITE_UNQUALIFIED);
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid->kind == CW_VAR) {
            emit_declarator(e, kid, out);
            continue;
        }
        if (kid->decl != NULL && kid->decl->kept_lengths) {
            put_lengths(e, kid->decl, out);
            continue;
        }
        cw_marker_to(unit, kid->begin, out);
        if (kid->decl != NULL && kid->decl->kind == CW_D_TYPEDEF && node->nkids > 1)
            cw_printf(out, "typedef %s",
                      cw_type_write(unit, kid->decl->type, kid->decl->name,
                                    kid->decl->marked ? CW_WRITE_COLOURED : 0));
        else
            cw_edit_apply(unit, &unit->small, kid->begin, kid->end, out);
        cw_puts(out, ";");
    }
}

/* The text of a declaration or expression in the first part of a `for`. */
static void emit_init_part(emitter *e, const cw_node *init, cw_buf *out)
{
    cw_unit *unit = e->unit;
    if (init->type != NULL) {
        emit_plan(e, init, out);
        return;
    }
    if (needs_rewriting(unit, init)) {
        emit_rewritten_decl(e, init, out);
        return;
    }
    const cw_node *first = NULL;
    for (size_t i = 0; i < init->nkids && first == NULL; i++)
        if (init->kids[i]->kind == CW_VAR)
            first = init->kids[i]->kids[0];
    if (first != NULL && first->plan != NULL) {
        emit_plan(e, first, out);
        cw_marker_to(unit, init->begin, out);
        cw_edit_apply(unit, &unit->small, init->begin, first->begin, out);
        cw_render(unit, first, out);
        cw_edit_apply(unit, &unit->small, first->end, init->end, out);
    } else {
        cw_edit_apply(unit, &unit->small, init->begin, init->end, out);
    }
}

static void emit_decl_stmt(emitter *e, const cw_node *node)
{
    cw_buf buf = { 0 };
    if (needs_rewriting(e->unit, node)) {
        emit_rewritten_decl(e, node, &buf);
        cw_marker_to(e->unit, node->end, &buf);
        large_edit(e, node->begin, node->end, &buf);
        return;
    }
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *init = node->kids[i]->kind == CW_VAR ? node->kids[i]->kids[0] : NULL;
        if (init == NULL || init->plan == NULL)
            continue;
        emit_init_part(e, node, &buf);
        cw_marker_to(e->unit, node->end, &buf);
        large_edit(e, node->begin, node->end, &buf);
        return;
    }
}

/* ---- statements ---- */

/* if and switch: the plan before the statement, in a block of its own. */
static void emit_head(emitter *e, const cw_node *node)
{
    const cw_node *condition = node->kids[0];
    cw_buf buf = { 0 };
    if (condition->plan == NULL)
        return;
    cw_puts(&buf, "{ ");
    emit_plan(e, condition, &buf);
    cw_marker_to(e->unit, node->begin, &buf);
    large_edit(e, node->begin, node->begin, &buf);
    cw_render(e->unit, condition, &buf);
    large_edit(e, condition->begin, condition->end, &buf);
}

static void emit_tail(emitter *e, const cw_node *node)
{
    if (node->kids[0]->plan != NULL)
        cw_edit_add(e->unit, &e->unit->large, node->end, node->end, " }");
}

static void emit_test(emitter *e, const cw_node *condition, cw_buf *out)
{
    emit_plan(e, condition, out);
    cw_marker_to(e->unit, condition->begin, out);
    cw_puts(out, "if (!(");
    cw_render(e->unit, condition, out);
    cw_puts(out, ")) break;");
}

/* Turns each `continue` of a loop into a jump to `label`; false: there is none. */
static bool redirect_continues(emitter *e, const cw_node *node, const char *label)
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

static const char *new_label(emitter *e)
{
    return cw_format(&e->unit->arena, "co4_next_%zu", ++e->unit->next_order);
}

/* Pragmas that speak of a loop stand right before it. A loop that waits is no longer what they speak of, and may be
 * written anew. They end with their line; line markers stay. */
static void drop_pragmas(emitter *e, const cw_node *loop)
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

static void emit_while(emitter *e, const cw_node *node)
{
    const cw_node *condition = node->kids[0], *body = node->kids[1];
    cw_buf buf = { 0 };
    if (condition->plan != NULL) {
        cw_puts(&buf, "for (;;) { ");
        emit_test(e, condition, &buf);
        cw_marker_to(e->unit, body->begin, &buf);
        large_edit(e, node->begin, body->begin, &buf);
    }
    emit_stmt(e, body);
    emit_tail(e, node);
}

static void emit_do(emitter *e, const cw_node *node)
{
    const cw_node *body = node->kids[0], *condition = node->kids[1];
    if (condition->plan == NULL) {
        emit_stmt(e, body);
        return;
    }
    const char *label = new_label(e);
    cw_buf buf = { 0 };
    cw_puts(&buf, "for (;;) {");
    large_edit(e, node->begin, node->begin + 2, &buf); /* over "do" */
    bool continued = redirect_continues(e, body, label);
    emit_stmt(e, body);
    cw_marker_to(e->unit, condition->begin, &buf);
    if (continued)
        cw_printf(&buf, "%s:; ", label);
    cw_puts(&buf, "{ ");
    emit_test(e, condition, &buf);
    cw_puts(&buf, " } }");
    cw_marker_to(e->unit, node->end, &buf);
    large_edit(e, body->end, node->end, &buf);
}

/* A type defined in a `for` may have been given a tag, which may not be declared there. */
static bool defines_type(const cw_node *declaration)
{
    for (size_t i = 0; i < declaration->nkids; i++)
        if (declaration->kids[i]->kind == CW_OTHER_DECL)
            return true;
    return false;
}

static void emit_for(emitter *e, const cw_node *node)
{
    cw_unit *unit = e->unit;
    const cw_node *init = node->kids[0], *condition = node->kids[1], *step = node->kids[2],
                  *body = node->kids[3];
    bool move_init = init != NULL &&
                     (init->plan != NULL ||
                      (init->type == NULL &&
                       (init->has_points || needs_rewriting(unit, init) || defines_type(init))));
    bool move_condition = condition != NULL && condition->plan != NULL;
    bool move_step = step != NULL && step->plan != NULL;
    if (!move_init && !move_condition && !move_step) {
        emit_stmt(e, body);
        return;
    }
    cw_buf buf = { 0 };
    if (move_init) {
        cw_puts(&buf, "{ ");
        emit_init_part(e, init, &buf);
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
    large_edit(e, node->begin, body->begin, &buf);

    const char *label = move_step ? new_label(e) : NULL;
    bool continued = move_step && redirect_continues(e, body, label);
    emit_stmt(e, body);
    if (move_step) {
        cw_marker_to(unit, step->begin, &buf);
        if (continued)
            cw_printf(&buf, "%s:; ", label);
        cw_puts(&buf, "{ ");
        emit_plan(e, step, &buf);
        cw_puts(&buf, " }");
    }
    cw_puts(&buf, " }");
    if (move_init) {
        put_scope_end(e, node, &buf);
        cw_puts(&buf, " }");
    }
    if (move_step)
        cw_marker_to(unit, node->end, &buf);
    large_edit(e, node->end, node->end, &buf);
}

/* The last expression of a statement expression gives it its value. */
static void emit_value(emitter *e, const cw_node *node, cw_buf *out)
{
    cw_buf value = { 0 };
    emit_rest(e, node->kids[0], &value);
    cw_put_assign(e->unit, node->value->type, cw_local_ref(e->unit, node->value), value.data, out);
    cw_buf_free(&value);
}

/* Attributes are for what was written; for pragmas see drop_pragmas. */
static void emit_attributed(emitter *e, const cw_node *node)
{
    const cw_node *statement = node->kids[0];
    if (!node->has_points)
        return;
    if (e->unit->text[node->begin] != '#')
        cw_edit_add(e->unit, &e->unit->large, node->begin, statement->begin, "");
    emit_stmt(e, statement);
}

static void emit_stmt(emitter *e, const cw_node *node)
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
                emit_stmt(e, node->kids[i]);
        if (node->braced && node->has_points)
            cw_edit_add(unit, &unit->large, node->end, node->end, " }");
        else if (node->kind == CW_BLOCK)
            emit_block_end(e, node);
        break;
    case CW_ATTRIBUTED:
        if (node->nkids == 1)
            emit_attributed(e, node);
        break;
    case CW_CASE:
    case CW_DEFAULT:
        if (node->nkids > 0)
            emit_stmt(e, node->kids[node->nkids - 1]);
        break;
    case CW_DECL_STMT:
        emit_decl_stmt(e, node);
        break;
    case CW_EXPR_STMT:
        if (node->kids[0]->plan == NULL && node->value == NULL)
            break;
        cw_puts(&buf, "{ ");
        emit_plan(e, node->kids[0], &buf);
        if (node->value != NULL)
            emit_value(e, node, &buf);
        cw_puts(&buf, " }");
        cw_marker_to(unit, node->end, &buf);
        large_edit(e, node->begin, node->end, &buf);
        break;
    case CW_RETURN:
        emit_return(e, node);
        break;
    case CW_GOTO:
    case CW_BREAK:
    case CW_CONTINUE:
        emit_jump(e, node);
        break;
    case CW_INDIRECT_GOTO:
        if (node->kids[0]->plan == NULL)
            break;
        cw_puts(&buf, "{ ");
        emit_plan(e, node->kids[0], &buf);
        cw_puts(&buf, " goto *(");
        emit_rest(e, node->kids[0], &buf);
        cw_puts(&buf, "); }");
        cw_marker_to(unit, node->end, &buf);
        large_edit(e, node->begin, node->end, &buf);
        break;
    case CW_IF:
        emit_head(e, node);
        emit_stmt(e, node->kids[1]);
        emit_stmt(e, node->kids[2]);
        emit_tail(e, node);
        break;
    case CW_SWITCH:
        emit_head(e, node);
        emit_stmt(e, node->kids[1]);
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
    default:
        break;
    }
}

/* In abi.h when the compiler has a use for it. The unit begins with a marker, so a line more moves nothing. */
static const char no_marker_warnings[] = "#pragma clang diagnostic ignored \"-Wgnu-line-marker\"\n";

bool cw_emit(cw_unit *unit)
{
    cw_thunks(unit);
    cw_render_edits(unit);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!func->pausable)
            continue;
        emitter e = { unit, func };
        unit->writing = func;
        for (size_t k = 0; k < func->nlocals; k++) /* names anonymous tags before text is copied */
            if (func->locals[k]->field != NULL || func->locals[k]->is_temp)
                cw_type_write(unit, func->locals[k]->type, "", 0);
        if (func->npoints > 0)
            emit_stmt(&e, func->body);
        cw_function_wrap(unit, func);
        unit->writing = NULL;
    }
    if (unit->text[0] == '#' && strstr(unit->text, no_marker_warnings) != NULL)
        cw_puts(&unit->out, no_marker_warnings);
    cw_edit_apply_both(unit, 0, unit->length, &unit->out);
    return true;
}
