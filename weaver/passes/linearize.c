/* linearize.c - moves suspension points out of expressions, strictly left to right.
 *
 * In:  pinned functions.
 * Out: func->points; on each full expression that contains a point, a plan: the steps before it.
 *      Nodes that a step has evaluated are written as their temporary from then on. The rest of the
 *      expression stays unchanged.
 *
 * Take `a[i] = x + f(g(1), y++)`, with f and g pausable. The target's parts and x are read first,
 * then g, then y++, then f:
 *
 *   t1 = i;  t2 = x;  t3 = g(1) <point 1>;  t4 = y++;  t5 = f(t3, t4) <point 2>;   a[t1] = t2 + t5;
 *
 * A node's operands before the last one with a point are evaluated to temporaries, unless nothing
 * in between can change their value (`is_stable`). The last one is linearized in turn; later
 * operands stay in place. C leaves most of these orders open. We fix them, so that a program means
 * the same whether or not its calls pause. One order is that of compilers: `total += f()` reads its
 * target after the call, or tasks would lose each other's updates. `&&`, `||`, `?:` become
 * conditional steps, for their right-hand sides may contain points that are not reached. A
 * statement expression is also a step: its block, whose last statement sets a temporary.
 *
 * Rejected: rewriting the tree. Marks on it (temp, plan, tail_only, done) keep every node's place
 * in the text, from which the emitter copies. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/bug.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

typedef struct linearizer {
    cw_unit *unit;
    cw_func *func;
    cw_step **end; /* where the next step goes */
    uint32_t at;   /* the full expression, for messages */
} linearizer;

static void linearize(linearizer *s, cw_node *node);
static void linearize_tree(linearizer *s, cw_node *node);
static void linearize_void(linearizer *s, cw_node *node);

/* ---- temporaries and steps ---- */

/* A pointer to an array of computed length is saved as `void *`, and cast at each use. */
static void hide_lengths(linearizer *s, cw_local *temp)
{
    if (cw_type_is_known(temp->type) && cw_type_bare(temp->type)->kind == CW_T_POINTER)
        temp->seen = temp->type;
    else
        cw_diag(
            s->unit, CW_ERROR, s->at, "give it a variable, or its type a typedef",
            "a pointer to an array of computed length is kept across a suspension point in this "
            "expression, and its length is not");
    temp->type = cw_type_pointer_to(s->unit, cw_type_builtin(s->unit, "void", -1));
}

/* Refuses a value whose type cannot be written. The returned type is never used. */
static const cw_type *refuse_type(linearizer *s, uint32_t begin)
{
    cw_diag(
        s->unit, CW_ERROR, begin, "give it a variable of its own, before the call that may pause",
        "this value is needed around a suspension point of its expression, and only the compiler "
        "knows its type");
    return cw_type_builtin(s->unit, "int", 4);
}

static cw_local *new_temp(linearizer *s, const cw_type *type, bool pausable)
{
    const char *name = cw_format(&s->unit->arena, "co4_t%zu", ++s->func->ntemps);
    cw_local *temp = cw_local_new(s->func, name,
                                  cw_type_unqualified(s->unit, cw_type_value(s->unit, type)));
    temp->is_temp = true;
    temp->pausable = pausable;
    if (cw_type_is_vm(temp->type))
        hide_lengths(s, temp);
    return temp;
}

/* A temporary for a node's value. A value that pointers refer to must not move. */
static cw_local *temp_for(linearizer *s, const cw_node *node, bool pausable)
{
    const cw_decl *declared = pausable ? cw_callee_decl(node) : NULL;
    const cw_type *type = node->type;
    if (cw_type_bare(type)->kind == CW_T_OTHER)
        type = refuse_type(s, node->begin);
    else if (declared != NULL)
        type = cw_type_with_marks(s->unit, type, declared);
    cw_local *temp = new_temp(s, type, pausable);
    if (node->addressed) {
        temp->pinned = true;
        temp->why_pinned = "an array in it is used";
        temp->why_at = node->begin;
    }
    return temp;
}

/* ---- values that pointers refer to ---- */

/* Does a pointer into an array of this value outlive its step, so that other code may keep it? In
 * `f().array[i]` it does not. But if the index pauses, the step ends with the pointer. */
static bool pointer_escapes(const cw_node *value, const cw_node *step)
{
    bool pointer = false; /* otherwise the value itself, or a part of it */
    for (const cw_node *node = value, *up; node != step && (up = node->parent) != NULL; node = up)
        switch (up->kind) {
        case CW_PAREN:
        case CW_CAST:
        case CW_BINARY:
        case CW_COMMA:
        case CW_COND:
        case CW_ELVIS:
        case CW_GENERIC:
            break;
        case CW_MEMBER:
            pointer &= !up->arrow;
            break;
        case CW_INDEX:
            pointer = false;
            break;
        case CW_UNARY:
            pointer = *up->op == '&' || (pointer && *up->op != '*');
            break;
        case CW_IMPLICIT:
            if (!pointer && cw_type_has(node->type, CW_T_ARRAY))
                pointer = true;
            else if (!pointer)
                return false; /* the value of the part */
            break;
        case CW_REF:
        case CW_CALL:
        case CW_ASSIGN:
        case CW_COMPOUND_ASSIGN:
        case CW_COMPOUND_LITERAL:
        case CW_STMT_EXPR:
        case CW_STATEMENTS:
        case CW_CONSTANTS:
        case CW_INITIALIZERS:
        case CW_RESULTS:
            return pointer;
        }
    return pointer;
}

/* A step is a statement of its own, and the values in it would end with it. In C they live as long
 * as the whole expression. So values that pointers refer to are stored in the frame where they are
 * evaluated. */
static void keep_values(linearizer *s, const cw_node *step, cw_node *node)
{
    if (node == NULL || node->temp != NULL || node->done)
        return;
    if (node->addressed && node->storage == NULL && pointer_escapes(node, step)) {
        node->storage = cw_local_new(s->func, "value", cw_type_unqualified(s->unit, node->type));
        node->storage->pinned = true;
        node->storage->why_pinned = "an array in it is pointed to";
        node->storage->why_at = node->begin;
        node->storage->is_temp = true;
    }
    for (size_t i = 0; i < node->nkids && node->kind != CW_STMT_EXPR; i++)
        if (cw_evaluates(node, i)) /* expressions in a block are full expressions */
            keep_values(s, step, node->kids[i]);
}

static cw_step *add_step(linearizer *s, cw_step_kind kind, cw_node *node, cw_local *temp)
{
    if (kind != CW_STEP_BLOCK)
        keep_values(s, node, node);
    cw_step *step = cw_alloc(&s->unit->arena, sizeof *step);
    step->kind = kind;
    step->node = node;
    step->temp = temp;
    *s->end = step;
    s->end = &step->next;
    return step;
}

/* ---- what may stay in place ---- */

struct write {
    cw_unit *unit;
    uint32_t order;
};

static void add_write(void *data, cw_decl *decl)
{
    const struct write *write = data;
    if (decl->as_local != NULL)
        CW_PUSH(&write->unit->arena, decl->as_local->writes, decl->as_local->nwrites, write->order);
}

/* Numbers the nodes, each of which is in one place, and collects the numbers of those that write to
 * a local: so changes() need not look at each operand again. */
static void number(cw_unit *unit, cw_node *node, uint32_t *last)
{
    if (node == NULL)
        return;
    node->order = ++*last;
    if (node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN ||
        (node->kind == CW_UNARY && (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)))
        cw_each_written(node->kids[0], add_write, &(struct write){ unit, node->order });
    for (size_t i = 0; i < node->nkids; i++)
        number(unit, node->kids[i], last);
    node->order_end = *last;
}

/* Does one of these operands, which are neighbours, write to the local? */
static bool changes(cw_node *const *operands, size_t count, const cw_local *local)
{
    while (count > 0 && operands[0] == NULL)
        operands++, count--;
    while (count > 0 && operands[count - 1] == NULL)
        count--;
    if (count == 0)
        return false;
    size_t i;
    CW_SEARCH(i, local->nwrites, local->writes[i] >= operands[0]->order);
    return i < local->nwrites && local->writes[i] <= operands[count - 1]->order_end;
}

/* Is it a local that only this function's own expressions can change? */
static bool is_own(const cw_decl *decl)
{
    return decl != NULL && decl->as_local != NULL && !decl->as_local->pinned &&
           !decl->address_taken && !decl->type->is_volatile;
}

static bool is_fixed_place(const cw_node *node)
{
    while (node->temp == NULL &&
           (node->kind == CW_PAREN || (node->kind == CW_MEMBER && !node->arrow)))
        node = node->kids[0];
    if (node->temp != NULL)
        return node->temp->pinned;
    return (node->kind == CW_REF && node->decl != NULL && !node->decl->thread_local_) ||
           node->kind == CW_STRING;
}

/* Does the node mean the same after the other operands (later, nlater) as before them? */
static bool is_stable(const cw_node *node, cw_node **later, size_t nlater)
{
    if (node == NULL || node->temp != NULL)
        return true;
    switch (node->kind) {
    case CW_LITERAL:
    case CW_STRING:
    case CW_SIZEOF:
    case CW_LABEL_ADDRESS:
        return true;
    case CW_REF: {
        const cw_decl *decl = node->decl;
        if (decl == NULL || decl->kind == CW_D_FUNCTION || decl->kind == CW_D_ENUMERATOR)
            return true;
        return is_own(decl) && !changes(later, nlater, decl->as_local);
    }
    case CW_IMPLICIT: {
        const cw_type *from = cw_type_bare(node->kids[0]->type);
        if (from->kind == CW_T_ARRAY || from->kind == CW_T_OPEN_ARRAY || from->kind == CW_T_VLA)
            return is_fixed_place(node->kids[0]);
        return is_stable(node->kids[0], later, nlater);
    }
    case CW_UNARY:
        if (strcmp(node->op, "&") == 0)
            return is_fixed_place(node->kids[0]);
        if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0 ||
            strcmp(node->op, "*") == 0)
            return false;
        return is_stable(node->kids[0], later, nlater);
    case CW_MEMBER:
        return !node->arrow && is_stable(node->kids[0], later, nlater);
    case CW_PAREN:
    case CW_CAST:
    case CW_BINARY:
        for (size_t i = 0; i < node->nkids; i++)
            if (!is_stable(node->kids[i], later, nlater))
                return false;
        return true;
    case CW_CALL:
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
    case CW_COMMA:
    case CW_COND:
    case CW_ELVIS:
    case CW_INDEX:
    case CW_COMPOUND_LITERAL:
    case CW_STMT_EXPR:
    case CW_GENERIC:
    case CW_STATEMENTS:
    case CW_INITIALIZERS:
    case CW_RESULTS:
        break;
    }
    return false;
}

/* ---- evaluating operands early ---- */

/* The temporary as which a node is written, or NULL. */
static cw_local *temp_of(const cw_node *node)
{
    while (node->temp == NULL && (node->kind == CW_PAREN || node->kind == CW_IMPLICIT))
        node = node->kids[0];
    return node->temp;
}

/* Number of temporaries in arithmetic. */
static unsigned count_temps(const cw_node *node)
{
    if (node->temp != NULL)
        return 1;
    if (node->kind != CW_BINARY && node->kind != CW_PAREN && node->kind != CW_IMPLICIT &&
        node->kind != CW_CAST)
        return 0;
    unsigned count = 0;
    for (size_t i = 0; i < node->nkids; i++)
        count += count_temps(node->kids[i]);
    return count;
}

static void spill(linearizer *s, cw_node *node, cw_node **later, size_t nlater)
{
    if (temp_of(node) != NULL || (is_stable(node, later, nlater) && count_temps(node) < 2))
        return; /* of several combined values, one remains to be saved */
    if (node->kind == CW_INIT_LIST) {
        for (size_t i = 0; i < node->nkids; i++)
            spill(s, node->kids[i], later, nlater);
        return;
    }
    if (node->kind == CW_DESIGNATED) {
        spill(s, node->kids[node->nkids - 1], later, nlater);
        return;
    }
    if (cw_type_is_void(node->type)) {
        add_step(s, CW_STEP_VOID, node, NULL);
        node->done = true;
        return;
    }
    cw_local *temp = temp_for(s, node, cw_is_pausable(node));
    add_step(s, CW_STEP_EVAL, node, temp);
    node->temp = temp;
}

/* Linearizes the operands of a node, evaluated left to right. An operand of typeof that only gives
 * a type stays in place. */
static void linearize_kids(linearizer *s, cw_node *node)
{
    cw_node **kids = node->kids;
    size_t last = 0;
    for (size_t i = 0; i < node->nkids; i++)
        if (kids[i] != NULL && kids[i]->has_points)
            last = i;
    for (size_t i = 0; i <= last; i++) {
        if (kids[i] == NULL || !cw_evaluates(node, i))
            continue;
        linearize(s, kids[i]);
        if (i < last && !kids[i]->for_type)
            spill(s, kids[i], kids + i + 1, last - i);
    }
}

/* Is it an element of a vector? Of all others, one operand is a pointer. */
static bool is_vector_element(const cw_node *node)
{
    cw_type_kind index = cw_type_bare(node->kids[1]->type)->kind;
    return cw_type_bare(node->kids[0]->type)->kind == CW_T_BUILTIN &&
           (index == CW_T_BUILTIN || index == CW_T_ENUM);
}

/* A part of the object that its kid denotes: a member, __real, __imag. */
static bool is_part(const cw_node *node)
{
    return (node->kind == CW_MEMBER && !node->arrow) ||
           (node->kind == CW_UNARY && strcmp(node->op, "*") != 0);
}

/* Does it denote an object, and not only a value? No other code knows a compound literal. */
static bool is_place(const cw_node *node)
{
    if (node->kind == CW_PAREN || is_part(node))
        return is_place(node->kids[0]);
    if (node->kind == CW_GENERIC)
        return node->chosen == 0 || is_place(node->kids[node->chosen]);
    return node->kind == CW_REF || node->kind == CW_INDEX || node->kind == CW_MEMBER ||
           node->kind == CW_UNARY;
}

/* Fixes the object that an lvalue denotes, before `later` is evaluated. The lvalue's own points are
 * already linearized. */
static void fix_place(linearizer *s, cw_node *node, cw_node **later, size_t nlater)
{
    if (node->kind == CW_PAREN || is_part(node) ||
        (node->kind == CW_INDEX && is_vector_element(node)))
        fix_place(s, node->kids[0], later, nlater);
    else if (node->kind == CW_MEMBER || node->kind == CW_UNARY || node->kind == CW_INDEX)
        spill(s, node->kids[0], later, nlater);
    else if (node->kind == CW_GENERIC && node->chosen != 0)
        fix_place(s, node->kids[node->chosen], later, nlater);
    if (node->kind == CW_INDEX)
        spill(s, node->kids[1], later, nlater);
}

/* An element of a vector is a part of that object, as a member is of a struct: the vector keeps its
 * place, whose value is read or written with the element. */
static void linearize_index(linearizer *s, cw_node *node)
{
    cw_node *vector = node->kids[0], *index = node->kids[1];
    if (!is_vector_element(node) || !index->has_points) {
        linearize_kids(s, node);
        return;
    }
    linearize(s, vector);
    if (is_place(vector))
        fix_place(s, vector, &index, 1);
    else
        spill(s, vector, &index, 1);
    linearize(s, index);
}

/* ---- the kinds of expression ---- */

static void linearize_assign(linearizer *s, cw_node *node)
{
    cw_node *target = node->kids[0], **value = &node->kids[1];
    linearize(s, target);
    if (!(*value)->has_points)
        return;
    fix_place(s, target, value, 1);
    linearize(s, *value);
}

/* Linearizes one arm of a conditional, with its own list of steps. Its value goes to `temp`, if
 * that is not NULL. */
static cw_step *arm(linearizer *s, cw_node *node, cw_step_kind kind, cw_local *temp)
{
    cw_step *first = NULL, **end = s->end;
    s->end = &first;
    if (temp == NULL) {
        linearize_void(s, node);
    } else {
        if (temp_of(node) == NULL)
            linearize(s, node);
        add_step(s, kind, node, temp);
    }
    s->end = end;
    return first;
}

static void linearize_and_or(linearizer *s, cw_node *node)
{
    cw_node *left = node->kids[0], *right = node->kids[1];
    linearize(s, left);
    if (!right->has_points)
        return;
    cw_local *temp = new_temp(s, node->type, false);
    add_step(s, CW_STEP_TRUTH, left, temp);
    cw_step *branch = add_step(s, CW_STEP_IF, NULL, temp);
    branch->negate = node->op[0] == '|';
    branch->then = arm(s, right, CW_STEP_TRUTH, temp);
    node->temp = temp;
}

static void linearize_cond(linearizer *s, cw_node *node, bool wanted)
{
    cw_node *condition = node->kids[0], *yes = node->kids[1], *no = node->kids[2];
    linearize(s, condition);
    if (!yes->has_points && !no->has_points)
        return;
    wanted = wanted && !cw_type_is_void(node->type);
    cw_local *temp = wanted ? temp_for(s, node, cw_is_pausable(node)) : NULL;
    cw_step *branch = add_step(s, CW_STEP_IF, condition, NULL);
    branch->then = arm(s, yes, CW_STEP_EVAL, temp);
    branch->otherwise = arm(s, no, CW_STEP_EVAL, temp);
    node->temp = temp;
    node->done = !wanted;
}

static void linearize_elvis(linearizer *s, cw_node *node)
{
    cw_node *common = node->kids[0], *no = node->kids[1];
    linearize(s, common);
    if (!no->has_points)
        return;
    cw_local *value = temp_for(s, node, cw_is_pausable(node));
    cw_local *truth = temp_of(common);
    if (truth == NULL) {
        truth = new_temp(s, common->type, cw_is_pausable(common));
        add_step(s, CW_STEP_EVAL, common, truth);
        common->temp = truth;
    }
    cw_step *branch = add_step(s, CW_STEP_IF, NULL, truth);
    branch->then = arm(s, common, CW_STEP_EVAL, value);
    branch->otherwise = arm(s, no, CW_STEP_EVAL, value);
    node->temp = value;
}

/* The block becomes a statement among the steps, and the value of its last expression a
 * temporary. */
static void linearize_stmt_expr(linearizer *s, cw_node *node, bool wanted)
{
    cw_node *last = cw_value_statement(node);
    wanted = wanted && last != NULL && !cw_type_is_void(node->type);
    node->temp = wanted ? temp_for(s, node, cw_is_pausable(node)) : NULL;
    node->done = !wanted;
    if (wanted)
        last->value = node->temp;
    else if (last != NULL)
        last->unused = true;
    add_step(s, CW_STEP_BLOCK, node, node->temp);
    cw_step **end = s->end;
    linearize_tree(s, node->kids[0]);
    s->end = end;
}

/* " before " and the text behind a decision, in one line. */
static const char *name_decision(linearizer *s, const cw_node *pause)
{
    const cw_node *after = pause->parent->kind == CW_COMMA ? pause->parent->kids[1] : NULL;
    if (pause->parent->decides == CW_VALUE_FIRST)
        after = pause->parent->parent;
    uint32_t length = after != NULL ? after->end - after->begin : 3;
    const char *text = after != NULL ? s->unit->text + after->begin : "asm";
    char *name = cw_format(&s->unit->arena, " before %.*s", length > 60 ? 60 : (int)length, text);
    char *end = name + 1;
    for (const char *from = name + 1; *from != '\0'; from++) {
        if (*from == '#' && from[-1] == '\n') /* a line marker */
            while (from[1] != '\0' && *from != '\n')
                from++;
        bool blank = (unsigned char)*from <= ' ';
        if (!blank || end[-1] != ' ')
            *end++ = blank ? ' ' : *from;
    }
    *end = '\0';
    return name;
}

static const char *callee_name(linearizer *s, const cw_node *call)
{
    if (call->kind == CW_PAUSE)
        return call->decides != CW_DECIDES_NOT ? name_decision(s, call) : "co4_yield";
    const cw_node *callee = cw_strip(call->kids[0]);
    uint32_t length = callee->end - callee->begin;
    return cw_strndup(&s->unit->arena, s->unit->text + callee->begin, length > 60 ? 60 : length);
}

static void linearize_point(linearizer *s, cw_node *node)
{
    cw_func *func = s->func;
    bool is_void = cw_type_is_void(node->type);
    cw_point *point = cw_alloc(&s->unit->arena, sizeof *point);
    point->call = node;
    point->at = node->begin;
    point->callee = callee_name(s, node);
    point->result = is_void ? NULL : temp_for(s, node, cw_type_is_pausable(node->type));
    point->wide = !is_void && cw_type_is_wide(node->type);
    CW_PUSH(&s->unit->arena, func->points, func->npoints, point);
    point->id = (uint32_t)func->npoints;
    cw_step *step = add_step(s, CW_STEP_CALL, node, point->result);
    step->point = point;
    point->step = step;
    node->temp = point->result;
    node->done = is_void;
}

/* decisions.c explains it. */
static void linearize_split(linearizer *s, cw_node *node)
{
    cw_node *change = node->kids[1], *target = change->kids[0];
    linearize(s, change);
    fix_place(s, target, node->kids, 1);
    if (change->kind == CW_COMPOUND_ASSIGN)
        spill(s, change->kids[1], node->kids, 1);
    cw_local *temp = temp_for(s, target, false);
    add_step(s, CW_STEP_EVAL, target, temp);
    linearize_void(s, node->kids[0]);
    add_step(s, CW_STEP_STORE, target, temp);
}

static void linearize_comma(linearizer *s, cw_node *node)
{
    if (node->decides == CW_SPLIT) {
        linearize_split(s, node);
    } else if (node->decides == CW_VALUE_FIRST) {
        linearize(s, node->kids[1]);
        spill(s, node->kids[1], node->kids, 1);
        linearize_void(s, node->kids[0]);
    } else {
        linearize_void(s, node->kids[0]);
        linearize(s, node->kids[1]);
    }
    node->tail_only = true;
    node->done = node->kids[1]->done;
}

static void linearize(linearizer *s, cw_node *node)
{
    if (!node->has_points)
        return;
    switch (node->kind) {
    case CW_CALL:
        linearize_kids(s, node);
        if (node->is_point)
            linearize_point(s, node);
        break;
    case CW_PAUSE:
        linearize_point(s, node);
        break;
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
        linearize_assign(s, node);
        break;
    case CW_AND_OR:
        linearize_and_or(s, node);
        break;
    case CW_COND:
        linearize_cond(s, node, true);
        break;
    case CW_ELVIS:
        linearize_elvis(s, node);
        break;
    case CW_STMT_EXPR:
        linearize_stmt_expr(s, node, true);
        break;
    case CW_GENERIC:
        linearize(s, node->kids[node->chosen]);
        node->done = node->kids[node->chosen]->done;
        break;
    case CW_COMMA:
        linearize_comma(s, node);
        break;
    case CW_PAREN:
    case CW_CAST:
    case CW_IMPLICIT:
        linearize_kids(s, node);
        node->done = node->nkids > 0 && node->kids[node->nkids - 1]->done;
        break;
    case CW_INDEX:
        linearize_index(s, node);
        break;
    case CW_UNARY:
    case CW_BINARY:
    case CW_MEMBER:
    case CW_COMPOUND_LITERAL:
    case CW_INIT_LIST:
    case CW_DESIGNATED:
    case CW_ENTRY:
    case CW_BUILTIN:
        linearize_kids(s, node);
        break;
    case CW_REF:
    case CW_OTHER_EXPR:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
        cw_bug("linearize", "expression of kind %d with a suspension point", (int)node->kind);
    }
}

/* Linearizes an expression whose value is not used. */
static void linearize_void(linearizer *s, cw_node *node)
{
    bool is_cast = node->kind == CW_CAST && cw_type_is_void(node->type);
    if (node->has_points && (node->kind == CW_PAREN || is_cast)) {
        linearize_void(s, node->kids[node->nkids - 1]);
    } else if (node->has_points && node->kind == CW_COMMA && node->decides <= CW_DECIDES) {
        linearize_void(s, node->kids[0]);
        linearize_void(s, node->kids[1]);
    } else if (node->has_points && node->kind == CW_COND) {
        linearize_cond(s, node, false);
        if (!node->done)
            add_step(s, CW_STEP_VOID, node, NULL);
    } else if (node->has_points && node->kind == CW_STMT_EXPR) {
        linearize_stmt_expr(s, node, false);
    } else if (node->is_point) {
        linearize(s, node);
        cw_point *point = s->func->points[s->func->npoints - 1];
        point->unwanted = true;
        point->step->temp = NULL;
        if (!point->wide)
            point->result = NULL;
        node->temp = NULL;
    } else {
        linearize(s, node);
        if (temp_of(node) == NULL)
            add_step(s, CW_STEP_VOID, node, NULL);
    }
    node->done = true;
}

/* ---- statements ---- */

/* Is the value of this full expression used? */
static bool is_wanted(const cw_node *parent, size_t kid)
{
    if (parent->kind == CW_EXPR_STMT)
        return parent->value != NULL;
    if (parent->kind == CW_RETURN)
        return !cw_type_is_void(parent->kids[kid]->type);
    return parent->kind != CW_FOR || kid == 1;
}

/* Linearizes the full expressions of a statement, in the order in which they are evaluated. */
static void linearize_tree(linearizer *s, cw_node *node)
{
    static const size_t order_of_for[] = { 0, 1, 3, 2 };
    bool is_object = node->kind == CW_VAR || node->kind == CW_OTHER_DECL; /* lengths come first */
    for (size_t i = 0; i < node->nkids; i++) {
        size_t which = node->kind == CW_FOR ? order_of_for[i]
                       : is_object          ? (i + 1) % node->nkids
                                            : i;
        cw_node *kid = node->kids[which];
        if (kid == NULL || !kid->has_points)
            continue;
        if (node->kind == CW_ASM || node->kind == CW_OTHER_STMT)
            cw_bug("linearize", "statement of kind %d with a suspension point", (int)node->kind);
        if (kid->kind >= CW_BLOCK) {
            linearize_tree(s, kid);
            continue;
        }
        s->end = &kid->plan;
        s->at = kid->begin;
        if (is_wanted(node, which))
            linearize(s, kid);
        else
            linearize_void(s, kid);
    }
}

bool cw_linearize(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!func->pausable)
            continue;
        linearizer s = { .unit = unit, .func = func };
        uint32_t last = 0;
        number(unit, func->body, &last);
        linearize_tree(&s, func->body);
    }
    return unit->errors == 0;
}
