/* decisions.c - suspension points where a seed decides what runs next: --auto=test.
 *
 * In:  the tree; the plan, which says before what there are decisions.
 * Out: an expression before which there is one is the second operand of a CW_COMMA, whose first is
 *      a CW_PAUSE. All other passes see an ordinary comma, but for two forms of `decides`:
 *
 *      CW_VALUE_FIRST  the decision comes after the value: between those that an assignment reads
 *                      and its write
 *      CW_SPLIT        likewise between the read and the write of `x++` and of `x += y`. The value
 *                      is read, others go on, it is written back, and then the expression follows.
 *                      No other thread runs between the two writes: so what others have written
 *                      before is lost, as where a processor loads, adds and stores.
 *
 * Decisions come before calls of synchronisation, which share/co4/posix.roots lists, and of what
 * waits; before atomic operations; with --preempt=access before each access of memory that other
 * threads may see as well: of variables that are not automatic, of those whose address is taken,
 * and through pointers.
 *
 * Rejected: to insert calls into the text, which would be parsed once more. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/unit.h"

typedef struct deciding {
    cw_unit *unit;
    bool inserts; /* else: notes what there is */
    bool atomics, accesses;
    unsigned found;
} deciding;

/* ---- what it is ---- */

static bool is_atomic_type(const cw_type *type)
{
    return type != NULL && cw_type_bare(type)->kind == CW_T_ATOMIC;
}

/* An atomic operation; questions about its object, which may be constants, are none. */
static bool is_atomic(const cw_unit *unit, const cw_node *node)
{
    static const char operations[] = "__atomic_ __c11_atomic_ __scoped_atomic_ __sync_";
    static const char questions[] = "__atomic_always_lock_free __atomic_is_lock_free "
                                    "__c11_atomic_is_lock_free __c11_atomic_init";
    if (node->kind == CW_ASM)
        return true; /* it may be one */
    const char *name = unit->text + node->begin;
    if (node->kind == CW_CALL) {
        const cw_decl *called = cw_function_called(node);
        if (called == NULL)
            return false;
        name = called->name;
    } else if (node->kind != CW_BUILTIN) {
        return false;
    }
    return cw_lists_begin_of(operations, name) && !cw_lists_begin_of(questions, name);
}

/* May another thread see the object that this lvalue denotes? */
static bool is_seen(const cw_node *place)
{
    for (;;) {
        place = cw_strip(place);
        bool of_array = place->kind == CW_INDEX &&
                        cw_type_has(cw_strip(place->kids[0])->type, CW_T_ARRAY);
        if ((place->kind == CW_MEMBER && !place->arrow) || of_array)
            place = place->kids[0];
        else
            break;
    }
    if (place->kind == CW_MEMBER || place->kind == CW_INDEX)
        return true;
    if (place->kind == CW_UNARY)
        return *place->op == '*';
    const cw_decl *decl = place->kind == CW_REF ? place->decl : NULL;
    if (decl == NULL || (decl->kind != CW_D_VARIABLE && decl->kind != CW_D_PARAM) ||
        decl->thread_local_ || cw_type_bare(decl->type)->is_const)
        return false;
    bool automatic = decl->kind == CW_D_PARAM || cw_is_automatic(decl);
    return !automatic || decl->address_taken;
}

/* Values whose ways other passes follow, and those that cannot be kept, are left as they are. */
static bool is_access(const deciding *d, const cw_node *place)
{
    const cw_type *type = place->type;
    if (type == NULL || is_atomic_type(type))
        return type != NULL && d->atomics;
    cw_type_kind kind = cw_type_bare(type)->kind;
    return d->accesses &&
           (kind == CW_T_BUILTIN || kind == CW_T_POINTER || kind == CW_T_ENUM ||
            kind == CW_T_RECORD) &&
           !cw_type_is_void(type) && !cw_is_function_like(type) && is_seen(place);
}

/* ---- insertion ---- */

static cw_node *new_node(const deciding *d, cw_kind kind, const cw_node *like, cw_node *parent)
{
    cw_node *node = cw_alloc(&d->unit->arena, sizeof *node);
    node->kind = kind;
    node->begin = node->end = like->begin;
    node->parent = parent;
    return node;
}

static cw_node *new_pause(const deciding *d, const cw_node *before, cw_node *parent)
{
    cw_node *pause = new_node(d, CW_PAUSE, before, parent);
    pause->decides = CW_DECIDES;
    pause->type = cw_type_builtin(d->unit, "void", -1);
    return pause;
}

static void decide(deciding *d, cw_node **at, cw_decides how, const cw_type *type)
{
    cw_node *node = *at;
    d->found |= is_atomic(d->unit, node) || is_atomic_type(node->type) ? CW_DECIDES_ATOMIC
                                                                       : CW_DECIDES_ACCESS;
    if (!d->inserts)
        return;
    cw_node *comma = new_node(d, CW_COMMA, node, node->parent);
    comma->end = node->end;
    comma->type = is_atomic_type(type) ? cw_type_bare(type)->inner : type;
    comma->decides = how;
    CW_PUSH(&d->unit->arena, comma->kids, comma->nkids, new_pause(d, node, comma));
    CW_PUSH(&d->unit->arena, comma->kids, comma->nkids, node);
    node->parent = comma;
    *at = comma;
}

/* ---- the walk ---- */

static void walk(deciding *d, cw_node **at, bool as_place);

static void walk_kids(deciding *d, cw_node *node)
{
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL && cw_evaluates(node, i))
            walk(d, &node->kids[i], false);
}

/* Calls of the compiler look at what they get, or at names. */
static bool has_usual_arguments(const cw_node *call)
{
    const cw_decl *called = cw_function_called(call);
    return cw_jump_of(call) == CW_NO_JUMP && cw_va_function(call) == NULL &&
           (called == NULL ||
            (!cw_decl_is_ours(called) && (strncmp(called->name, "__builtin_", 10) != 0 ||
                                          strcmp(called->name, "__builtin_expect") == 0)));
}

static void walk_call(deciding *d, cw_node **at)
{
    cw_node *call = *at;
    const cw_decl *called = cw_function_called(call);
    const cw_plan *plan = d->unit->options->plan;
    for (size_t i = 1; i < call->nkids && has_usual_arguments(call); i++)
        walk(d, &call->kids[i], false);
    bool synchronises = called != NULL && d->inserts &&
                        (called->instead != NULL ||
                         cw_plan_has(plan, CW_PLAN_DECIDE, called->name));
    if (synchronises || (d->atomics && is_atomic(d->unit, call)))
        decide(d, at, CW_DECIDES, call->type);
}

static void walk_write(deciding *d, cw_node **at)
{
    cw_node *node = *at, *target = node->kids[0];
    walk(d, &node->kids[0], true);
    if (node->nkids > 1)
        walk(d, &node->kids[1], false);
    if (!is_access(d, target))
        return;
    bool atomic = is_atomic_type(target->type);
    bool scalar = cw_type_bare(target->type)->kind != CW_T_RECORD;
    if (node->kind == CW_ASSIGN && scalar)
        decide(d, &node->kids[1], CW_VALUE_FIRST, target->type);
    else
        decide(d, at, atomic || !scalar ? CW_DECIDES : CW_SPLIT, node->type);
    if (atomic)
        d->found |= CW_DECIDES_ATOMIC;
}

/* In a block a statement of its own comes before it. */
static void walk_block(deciding *d, cw_node *block)
{
    for (size_t i = 0; i < block->nkids; i++) {
        walk(d, &block->kids[i], false);
        if (!d->atomics || block->kids[i]->kind != CW_ASM)
            continue;
        d->found |= CW_DECIDES_ATOMIC;
        if (!d->inserts)
            continue;
        cw_node *stmt = new_node(d, CW_EXPR_STMT, block->kids[i], block);
        CW_PUSH(&d->unit->arena, stmt->kids, stmt->nkids, new_pause(d, block->kids[i], stmt));
        CW_PUSH(&d->unit->arena, block->kids, block->nkids, NULL);
        memmove(&block->kids[i + 1], &block->kids[i], (block->nkids - i - 1) * sizeof *block->kids);
        block->kids[i++] = stmt;
    }
}

static bool is_array(const cw_node *node)
{
    cw_type_kind kind = cw_type_bare(node->type)->kind;
    return kind == CW_T_ARRAY || kind == CW_T_OPEN_ARRAY || kind == CW_T_VLA ||
           kind == CW_T_FUNCTION;
}

/* as_place: what the node denotes is not read there, but written, or a part of it used. */
static void walk(deciding *d, cw_node **at, bool as_place)
{
    cw_node *node = *at;
    if (node == NULL)
        return;
    switch (node->kind) {
    case CW_REF:
        break;
    case CW_MEMBER:
        walk(d, &node->kids[0], !node->arrow);
        break;
    case CW_INDEX:
        walk(d, &node->kids[0], cw_type_bare(node->kids[0]->type)->kind == CW_T_BUILTIN);
        walk(d, &node->kids[1], false);
        break;
    case CW_UNARY:
        if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)
            walk_write(d, at);
        else
            walk(d, &node->kids[0], strchr("*-+!~", *node->op) == NULL);
        if (*node->op != '*')
            return;
        break;
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
        walk_write(d, at);
        return;
    case CW_CALL:
        walk_call(d, at);
        return;
    case CW_BUILTIN:
        walk_kids(d, node);
        if (d->atomics && is_atomic(d->unit, node))
            decide(d, at, CW_DECIDES, node->type);
        return;
    case CW_IMPLICIT:
        walk(d, &node->kids[0], as_place || is_array(node->kids[0]));
        return;
    case CW_PAREN:
        walk(d, &node->kids[0], as_place);
        return;
    case CW_BLOCK:
        walk_block(d, node);
        return;
    case CW_VAR:
        if (!node->decl->is_static && !node->decl->is_extern && !node->decl->has_linkage)
            walk_kids(d, node);
        return;
    case CW_DESIGNATED:
    case CW_CASE:
        walk(d, &node->kids[node->nkids - 1], false);
        return;
    case CW_GENERIC:
        if (node->chosen != 0)
            walk(d, &node->kids[node->chosen], as_place);
        return;
    case CW_CONSTANTS:
    case CW_ENTRY:
    case CW_PAUSE:
    case CW_OTHER_EXPR:
    case CW_OTHER_DECL:
    case CW_OTHER_STMT:
    case CW_ASM:
        return;
    case CW_BINARY:
    case CW_AND_OR:
    case CW_COMMA:
    case CW_COND:
    case CW_ELVIS:
    case CW_CAST:
    case CW_COMPOUND_LITERAL:
    case CW_INIT_LIST:
    case CW_STMT_EXPR:
    case CW_DECL_STMT:
    case CW_EXPR_STMT:
    case CW_IF:
    case CW_WHILE:
    case CW_DO:
    case CW_FOR:
    case CW_SWITCH:
    case CW_DEFAULT:
    case CW_LABEL:
    case CW_GOTO:
    case CW_INDIRECT_GOTO:
    case CW_BREAK:
    case CW_CONTINUE:
    case CW_RETURN:
    case CW_NULL_STMT:
    case CW_ATTRIBUTED:
        walk_kids(d, node);
        return;
    }
    if (!as_place && is_access(d, node))
        decide(d, at, CW_DECIDES, node->type);
}

unsigned cw_needs_decisions(cw_unit *unit, cw_node *body)
{
    deciding d = { .unit = unit, .atomics = true, .accesses = true };
    walk(&d, &body, false);
    return d.found;
}

bool cw_decisions(cw_unit *unit)
{
    const cw_plan *plan = unit->options->plan;
    deciding d = {
        .unit = unit,
        .inserts = true,
        .atomics = cw_plan_has(plan, CW_PLAN_YIELDS, "atomic"),
        .accesses = cw_plan_has(plan, CW_PLAN_YIELDS, "access"),
    };
    for (size_t i = 0; i < unit->nfuncs && d.atomics; i++)
        if (cw_decl_is_pausable(unit->funcs[i]->decl))
            walk(&d, &unit->funcs[i]->body, false);
    return true;
}
