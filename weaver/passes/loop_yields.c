/* loop_yields.c - suspension points that are not calls: at loops' back-edges, for automatic yields;
 * under stress also at the beginning of functions.
 *
 * In:  the tree, with its marks.
 * Out: statements that consist of one CW_PAUSE, without text. There is one at the beginning of each
 *      loop body in a pausable function, and of the function. A body that is not a block is wrapped
 *      in one, `braced`. Later passes see ordinary statements.
 *
 * A pause at the beginning of the body runs as often as one at the back-edge, once in each
 * iteration. `continue` leads to it without further work. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/unit.h"

typedef struct inserter {
    cw_unit *unit;
    cw_type *nothing; /* void */
    bool yields;      /* and not only pauses of --stress, which leave out loops by goto */
    bool all;         /* also in loops that only compute */
} inserter;

static cw_node *new_node(inserter *s, cw_kind kind, uint32_t begin, uint32_t end, cw_node *parent)
{
    cw_node *node = cw_alloc(&s->unit->arena, sizeof *node);
    node->kind = kind;
    node->begin = begin;
    node->end = end;
    node->parent = parent;
    return node;
}

static cw_node *new_pause(inserter *s, uint32_t at, cw_node *parent)
{
    cw_node *stmt = new_node(s, CW_EXPR_STMT, at, at, parent);
    cw_node *pause = new_node(s, CW_PAUSE, at, at, stmt);
    pause->type = s->nothing;
    CW_PUSH(&s->unit->arena, stmt->kids, stmt->nkids, pause);
    return stmt;
}

/* Inserts a pause at the beginning of a block, if one is allowed there. */
static void insert_in_block(inserter *s, cw_node *block)
{
    size_t first = 0;
    while (first < block->nkids &&
           strncmp(s->unit->text + block->kids[first]->begin, "__label__", 9) == 0)
        first++;
    if (first < block->nkids &&
        (block->kids[first]->kind == CW_CASE || block->kids[first]->kind == CW_DEFAULT))
        /* a switch enters the loop here: at the end, so that no case falls into it */
        first = block->nkids;
    uint32_t at = first < block->nkids ? block->kids[first]->begin : block->end - 1;
    CW_PUSH(&s->unit->arena, block->kids, block->nkids, NULL);
    for (size_t i = block->nkids - 1; i > first; i--)
        block->kids[i] = block->kids[i - 1];
    block->kids[first] = new_pause(s, at, block);
}

static void insert_in_body(inserter *s, cw_node *loop, size_t which)
{
    cw_node *body = loop->kids[which];
    if (body->kind != CW_BLOCK) {
        cw_node *block = new_node(s, CW_BLOCK, body->begin, body->end, loop);
        block->braced = true;
        CW_PUSH(&s->unit->arena, block->kids, block->nkids, new_pause(s, body->begin, block));
        CW_PUSH(&s->unit->arena, block->kids, block->nkids, body);
        body->parent = block;
        loop->kids[which] = block;
    } else {
        insert_in_block(s, body);
    }
}

/* Is it a loop, too: a jump back to a label before it? */
static bool jumps_back(const cw_node *node)
{
    return node != NULL && node->kind == CW_GOTO && node->decl != NULL &&
           node->decl->name_at < node->begin;
}

/* Returns whether the node is a loop, or one of its kids. */
static bool insert_in_loops(inserter *s, cw_node *node)
{
    bool loops = false;
    if (node == NULL)
        return false;
    for (size_t i = 0; i < node->nkids; i++)
        if (!jumps_back(node->kids[i])) {
            loops |= insert_in_loops(s, node->kids[i]);
        } else if (s->yields) {
            insert_in_body(s, node, i);
            loops = true;
        }
    if (node->kind != CW_WHILE && node->kind != CW_DO && node->kind != CW_FOR)
        return loops;
    if (s->all || loops || !cw_only_computes(s->unit, node))
        insert_in_body(s, node, node->kind == CW_WHILE ? 1 : node->kind == CW_DO ? 0 : 3);
    return true;
}

bool cw_loop_yields(cw_unit *unit)
{
    const cw_options *options = unit->options;
    inserter s = {
        .unit = unit,
        .nothing = cw_type_builtin(unit, "void", -1),
        .yields = options->auto_yields || cw_plan_has(options->plan, CW_PLAN_YIELDS, "*"),
        .all = options->auto_yields || options->stress ||
               cw_plan_has(options->plan, CW_PLAN_YIELDS, "computing"),
    };
    if (!options->stress && !s.yields)
        return true;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!cw_decl_is_pausable(func->decl))
            continue;
        insert_in_loops(&s, func->body);
        if (options->stress && func->body->nkids > 0)
            insert_in_block(&s, func->body);
    }
    return true;
}
