/* cfg.c - the control-flow graph of each pausable function.
 *
 * In:  linearized functions.
 * Out: func->blocks; block 0 is the entry. A block is a list of events in order: uses and whole
 *      definitions of locals, suspension points, and, for the warnings, other calls. Only locals
 *      that may be copied count: a pinned local is always in its frame.
 *
 * The graph follows the woven order of evaluation: first the steps of a plan, then the rest of the
 * expression. A node that is written as a temporary is a use of that temporary. `&&`, `||` and `?:`
 * have blocks of their own, so a definition in one arm does not hide the earlier value. An
 * assignment to a member is neither a definition nor a use.
 *
 * In a function to whose setjmps jumps come back, an edge leads from each point to each of them:
 * what is live behind a setjmp is saved wherever the function may pause.
 *
 * A point precedes the definition of its result. Whatever is live at the point must be saved; the
 * result arrives separately. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "base/bug.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/unit.h"

typedef struct builder {
    cw_unit *unit;
    cw_func *func;
    cw_block *now;
    const cw_node *target;                        /* the lvalue that is written */
    cw_block *on_break, *on_continue, *on_switch; /* on_switch: block that branches to the cases */
    bool has_default;
    cw_names labels; /* key: the bytes of an offset; value: index in label_blocks */
    cw_block **label_blocks;
    size_t nlabels;
    cw_block **targets; /* blocks of labels whose addresses are taken */
    size_t ntargets;
    cw_block **computed; /* blocks that end in a computed goto */
    size_t ncomputed;
    cw_block *jumps; /* where jumps to the function's setjmps come from; NULL: it has none */
} builder;

static void expr(builder *b, const cw_node *node);
static void stmt(builder *b, const cw_node *node);
static void steps(builder *b, const cw_step *step);

static cw_block *block_new(builder *b)
{
    cw_block *block = cw_alloc(&b->unit->arena, sizeof *block);
    block->id = b->func->nblocks;
    CW_PUSH(&b->unit->arena, b->func->blocks, b->func->nblocks, block);
    return block;
}

static void edge(builder *b, cw_block *from, cw_block *to)
{
    CW_PUSH(&b->unit->arena, from->next, from->nnext, to);
}

static void go(builder *b, cw_block *to)
{
    edge(b, b->now, to);
    b->now = to;
}

static void event(builder *b, cw_event_kind kind, cw_local *local, cw_point *point)
{
    if (kind != CW_POINT && (local == NULL || local->pinned))
        return;
    if ((kind == CW_DEF || kind == CW_TOUCH) && local->decl != NULL)
        local->decl->assigned = true;
    cw_event e = { .kind = kind, .local = local, .point = point };
    CW_PUSH(&b->unit->arena, b->now->events, b->now->nevents, e);
}

/* Records a definition of the whole local, by this value. */
static void define(builder *b, cw_local *local, const cw_node *value)
{
    size_t before = b->now->nevents;
    event(b, CW_DEF, local, NULL);
    if (b->now->nevents > before)
        b->now->events[before].node = value;
}

/* Records a call that does not pause. */
static void called(builder *b, const cw_node *call)
{
    cw_event e = { .kind = CW_CALLED, .node = call };
    CW_PUSH(&b->unit->arena, b->now->events, b->now->nevents, e);
}

static cw_block *label_block_of(builder *b, const cw_decl *label)
{
    const char *key = (const char *)&label->begin;
    const cw_name *known = cw_names_find(&b->labels, key, sizeof label->begin);
    if (known != NULL)
        return b->label_blocks[known->number];
    cw_names_add(&b->labels, key, sizeof label->begin)->number = (unsigned)b->nlabels;
    cw_block *block = block_new(b);
    CW_PUSH(&b->unit->arena, b->label_blocks, b->nlabels, block);
    if (label->has_address)
        CW_PUSH(&b->unit->arena, b->targets, b->ntargets, block);
    return block;
}

/* ---- expressions ---- */

static const cw_node *whole_local(const cw_node *target)
{
    while (target->kind == CW_PAREN)
        target = target->kids[0];
    return target->kind == CW_REF && target->decl != NULL && target->decl->as_local != NULL ? target
                                                                                            : NULL;
}

/* Records a use of an object that other calls and tasks share. */
static void state(builder *b, cw_event_kind kind, const cw_node *node, const cw_decl *decl)
{
    if (b->unit->options->plan == NULL || decl == NULL || decl->kind != CW_D_VARIABLE ||
        decl->as_local != NULL || decl->of_task ||
        !(decl->is_static || decl->has_linkage || decl->thread_local_ || decl->is_extern))
        return;
    cw_event e = { .kind = kind, .node = node, .object = decl };
    CW_PUSH(&b->unit->arena, b->now->events, b->now->nevents, e);
}

static void touch_one(void *builder_, cw_decl *decl)
{
    builder *b = builder_;
    event(b, CW_TOUCH, decl->as_local, NULL);
    state(b, CW_STATE_WRITE, b->target, decl);
}

/* Records the parts of locals that an assignment to this lvalue writes. */
static void touch(builder *b, const cw_node *target)
{
    b->target = target;
    cw_each_written(target, touch_one, b);
}

/* Records the evaluation that finds the object an lvalue denotes. */
static void place(builder *b, const cw_node *node)
{
    while (node->kind == CW_PAREN || (node->kind == CW_MEMBER && !node->arrow))
        node = node->kids[0];
    if (node->kind != CW_REF)
        expr(b, node);
}

/* The two ways of a branch: on each steps, then an expression or a statement. All may be NULL. */
static void branch(builder *b, const cw_step *then, const cw_node *yes, const cw_step *otherwise,
                   const cw_node *no)
{
    cw_block *fork = b->now, *join = block_new(b);
    for (int i = 0; i < 2; i++) {
        b->now = block_new(b);
        edge(b, fork, b->now);
        steps(b, i == 0 ? then : otherwise);
        stmt(b, i == 0 ? yes : no);
        edge(b, b->now, join);
    }
    b->now = join;
}

/* Records a call of va_start or va_copy as a definition of their list; va_end records nothing.
 * Returns false if the list is not one of the function's locals. */
static bool va_call(builder *b, const cw_node *call)
{
    const cw_node *list = cw_strip(call->nkids > 1 ? call->kids[1] : call);
    if (list->kind != CW_REF || list->decl == NULL || list->decl->as_local == NULL)
        return false;
    const char *name = cw_va_function(call);
    called(b, call);
    if (strcmp(name, "va_copy") == 0 && call->nkids > 2)
        expr(b, call->kids[2]);
    if (strcmp(name, "va_end") != 0)
        event(b, CW_DEF, list->decl->as_local, NULL);
    return true;
}

/* Records the node's own evaluation, even if a temporary is written for it elsewhere. */
static void expr_itself(builder *b, const cw_node *node)
{
    switch (node->kind) {
    case CW_REF:
        if (node->decl != NULL)
            event(b, CW_USE, node->decl->as_local, NULL);
        state(b, CW_STATE_READ, node, node->decl);
        return;
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN: {
        const cw_node *whole = whole_local(node->kids[0]);
        if (whole == NULL)
            place(b, node->kids[0]);
        if (node->kind == CW_COMPOUND_ASSIGN)
            expr(b, node->kids[0]);
        expr(b, node->kids[1]);
        if (whole != NULL)
            define(b, whole->decl->as_local, node->kids[1]);
        else
            touch(b, node->kids[0]);
        return;
    }
    case CW_CALL:
        if (cw_va_function(node) != NULL && va_call(b, node))
            return;
        for (size_t i = 0; i < node->nkids; i++)
            expr(b, node->kids[i]);
        if (!node->is_point)
            called(b, node);
        return;
    case CW_UNARY:
        expr(b, node->kids[0]);
        if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0) {
            const cw_node *whole = whole_local(node->kids[0]);
            if (whole != NULL)
                event(b, CW_DEF, whole->decl->as_local, NULL);
            else
                touch(b, node->kids[0]);
        }
        return;
    case CW_AND_OR:
    case CW_ELVIS:
    case CW_COND:
        expr(b, node->kids[0]);
        branch(b, NULL, node->kids[1], NULL, node->kind == CW_COND ? node->kids[2] : NULL);
        return;
    case CW_COMMA:
        if (!node->tail_only)
            expr(b, node->kids[0]);
        expr(b, node->kids[1]);
        return;
    case CW_STMT_EXPR:
        for (size_t i = 0; i < node->nkids; i++)
            stmt(b, node->kids[i]);
        return;
    case CW_MEMBER:
    case CW_BINARY:
    case CW_CAST:
    case CW_IMPLICIT:
    case CW_PAREN:
    case CW_INDEX:
    case CW_COMPOUND_LITERAL:
    case CW_GENERIC:
    case CW_BUILTIN:
    case CW_ENTRY:
    case CW_PAUSE:
    case CW_OTHER_EXPR:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
        if (node->kind >= CW_BLOCK && node->kind != CW_OTHER_DECL)
            cw_bug("cfg", "a statement of kind %d in an expression", (int)node->kind);
        for (size_t i = 0; i < node->nkids; i++)
            if (node->kids[i] != NULL && cw_evaluates(node, i))
                expr(b, node->kids[i]);
        return;
    }
}

static void expr(builder *b, const cw_node *node)
{
    if (node->temp != NULL)
        event(b, CW_USE, node->temp, NULL);
    else if (!node->done)
        expr_itself(b, node);
}

/* Ends the current block with a jump. Code after it is reached through a label only. */
static void leave(builder *b, cw_block *to)
{
    if (to != NULL)
        edge(b, b->now, to);
    b->now = block_new(b);
}

static void steps(builder *b, const cw_step *step)
{
    for (; step != NULL; step = step->next)
        switch (step->kind) {
        case CW_STEP_EVAL:
            if (step->node->temp == step->temp)
                expr_itself(b, step->node);
            else
                expr(b, step->node);
            define(b, step->temp, step->node);
            break;
        case CW_STEP_STORE:
            event(b, CW_USE, step->temp, NULL);
            if (whole_local(step->node) != NULL) {
                event(b, CW_DEF, whole_local(step->node)->decl->as_local, NULL);
            } else {
                place(b, step->node);
                touch(b, step->node);
            }
            break;
        case CW_STEP_TRUTH:
            expr(b, step->node);
            event(b, CW_DEF, step->temp, NULL);
            break;
        case CW_STEP_VOID:
            expr_itself(b, step->node);
            break;
        case CW_STEP_CALL:
            for (size_t i = 0; i < step->node->nkids; i++)
                expr(b, step->node->kids[i]);
            event(b, CW_POINT, NULL, step->point);
            /* A call may end in a jump to any setjmp of the function, which goes on behind its
             * point. */
            if (b->jumps != NULL) {
                edge(b, b->now, b->jumps);
                go(b, block_new(b));
                if (cw_jump_of(step->node) == CW_SETJMP)
                    edge(b, b->jumps, b->now);
            }
            event(b, CW_DEF, step->point->result, NULL);
            if (cw_jump_of(step->node) == CW_LONGJMP)
                leave(b, NULL);
            break;
        case CW_STEP_BLOCK:
            stmt(b, step->node->kids[0]);
            break;
        case CW_STEP_IF:
            if (step->temp != NULL)
                event(b, CW_USE, step->temp, NULL);
            else
                expr(b, step->node);
            branch(b, step->then, NULL, step->otherwise, NULL);
            break;
        }
}

static void full(builder *b, const cw_node *node)
{
    if (node == NULL)
        return;
    steps(b, node->plan);
    expr(b, node);
}

/* ---- statements ---- */

static void loop(builder *b, const cw_node *init, const cw_node *condition, const cw_node *step,
                 const cw_node *body, bool body_first)
{
    cw_block *on_break = b->on_break, *on_continue = b->on_continue;
    stmt(b, init);
    cw_block *test = block_new(b), *inside = block_new(b), *again = block_new(b),
             *after = block_new(b);
    edge(b, b->now, body_first ? inside : test);
    b->now = test;
    full(b, condition);
    edge(b, b->now, inside);
    if (condition != NULL)
        edge(b, b->now, after);
    b->on_break = after;
    b->on_continue = again;
    b->now = inside;
    stmt(b, body);
    go(b, again);
    full(b, step);
    edge(b, b->now, test);
    b->now = after;
    b->on_break = on_break;
    b->on_continue = on_continue;
}

static void switch_stmt(builder *b, const cw_node *node)
{
    cw_block *on_break = b->on_break, *on_switch = b->on_switch;
    bool has_default = b->has_default;
    full(b, node->kids[0]);
    cw_block *after = block_new(b);
    b->on_switch = b->now;
    b->on_break = after;
    b->has_default = false;
    b->now = block_new(b); /* code before the first case is not reached */
    stmt(b, node->kids[1]);
    edge(b, b->now, after);
    if (!b->has_default)
        edge(b, b->on_switch, after);
    b->now = after;
    b->on_break = on_break;
    b->on_switch = on_switch;
    b->has_default = has_default;
}

static void case_stmt(builder *b, const cw_node *node)
{
    cw_block *here = block_new(b);
    edge(b, b->on_switch, here);
    go(b, here);
    b->has_default |= node->kind == CW_DEFAULT;
    stmt(b, node->kids[node->nkids - 1]);
}

static void lengths(builder *b, const cw_node *node, size_t first)
{
    for (size_t i = first; i < node->nkids; i++)
        if (cw_evaluates(node, i))
            full(b, node->kids[i]);
}

/* Operands may be read and written: they become uses and touches, not definitions. An asm goto
 * jumps to one of its labels, or falls through. */
static void asm_stmt(builder *b, const cw_node *node)
{
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL) {
            expr(b, node->kids[i]);
            touch(b, node->kids[i]);
        }
    for (size_t i = 0; node->jumps && i < node->nkids; i++)
        if (node->kids[i] != NULL && node->kids[i]->kind == CW_LABEL_ADDRESS)
            edge(b, b->now, label_block_of(b, node->kids[i]->decl));
    if (node->jumps)
        go(b, block_new(b));
}

static void stmt(builder *b, const cw_node *node)
{
    if (node == NULL)
        return;
    switch (node->kind) {
    case CW_BLOCK:
    case CW_DECL_STMT:
    case CW_ATTRIBUTED:
    case CW_OTHER_STMT: /* perhaps with expressions */
        for (size_t i = 0; i < node->nkids; i++)
            stmt(b, node->kids[i]);
        break;
    case CW_VAR:
        lengths(b, node, 1);
        full(b, node->kids[0]);
        if (node->kids[0] != NULL)
            define(b, node->decl->as_local, node->kids[0]);
        else
            event(b, CW_FORGET, node->decl->as_local, NULL);
        break;
    case CW_OTHER_DECL: /* the lengths of a typedef */
        lengths(b, node, 0);
        break;
    case CW_EXPR_STMT:
        full(b, node->kids[0]);
        event(b, CW_DEF, node->value, NULL);
        break;
    case CW_IF:
        full(b, node->kids[0]);
        branch(b, NULL, node->kids[1], NULL, node->kids[2]);
        break;
    case CW_WHILE:
        loop(b, NULL, node->kids[0], NULL, node->kids[1], false);
        break;
    case CW_DO: /* `continue` goes to the test */
        loop(b, NULL, node->kids[1], NULL, node->kids[0], true);
        break;
    case CW_FOR:
        loop(b, node->kids[0], node->kids[1], node->kids[2], node->kids[3], false);
        break;
    case CW_SWITCH:
        switch_stmt(b, node);
        break;
    case CW_CASE:
    case CW_DEFAULT:
        case_stmt(b, node);
        break;
    case CW_LABEL:
        go(b, label_block_of(b, node->decl));
        if (node->nkids > 0)
            stmt(b, node->kids[node->nkids - 1]);
        break;
    case CW_GOTO:
        leave(b, label_block_of(b, node->decl));
        break;
    case CW_INDIRECT_GOTO:
        full(b, node->kids[0]);
        CW_PUSH(&b->unit->arena, b->computed, b->ncomputed, b->now);
        leave(b, NULL);
        break;
    case CW_BREAK:
        leave(b, b->on_break);
        break;
    case CW_CONTINUE:
        leave(b, b->on_continue);
        break;
    case CW_RETURN:
        full(b, node->kids[0]);
        leave(b, NULL);
        break;
    case CW_ASM:
        asm_stmt(b, node);
        break;
    case CW_NULL_STMT:
        break;
    case CW_EXPRESSIONS:
        full(b, node);
        break;
    }
}

bool cw_cfg(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        builder b = { .unit = unit, .func = func };
        b.now = block_new(&b);
        b.jumps = func->catches != NULL ? block_new(&b) : NULL;
        stmt(&b, func->body);
        /* Connects each to all targets through one block, which needs fewer edges. */
        cw_block *all = b.ncomputed > 0 ? block_new(&b) : NULL;
        for (size_t j = 0; j < b.ncomputed; j++)
            edge(&b, b.computed[j], all);
        for (size_t k = 0; all != NULL && k < b.ntargets; k++)
            edge(&b, all, b.targets[k]);
        cw_names_free(&b.labels);
    }
    return true;
}
