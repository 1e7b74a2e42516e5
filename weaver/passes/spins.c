/* spins.c - loops that wait for what another thread does, without a call: "while (!stop);".
 *
 * Where threads are tasks, such a loop has to let others go on. It is one whose condition reads
 * memory, and which changes nothing of that by itself; or that has no condition, and counts
 * nothing, or reads what is volatile or atomic. A loop that calls a function is none: that may
 * change what is read. Compilers' own functions do not count, as those of <stdatomic.h> are.
 *
 * A loop that only goes round when an exchange has failed is none, if that compares with what has
 * been read there: then another thread has gone on meanwhile. One that compares with a value of its
 * own, as a lock does, waits for that value. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/unit.h"

static bool is_automatic(const cw_decl *decl)
{
    return decl->kind == CW_D_PARAM || (decl->kind == CW_D_VARIABLE && cw_is_automatic(decl));
}

static bool is_built_in(const cw_decl *function)
{
    static const char *const begins[] = { "__atomic_", "__sync_", "__builtin_", "__c11_atomic_",
                                          "_mm_pause", "__nop",   "__yield" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(function->name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static bool calls(const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_CALL) {
        const cw_decl *called = cw_function_called(node);
        if (called == NULL || !is_built_in(called))
            return true;
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (calls(node->kids[i]))
            return true;
    return false;
}

/* Does it read what others may write? */
static bool reads_memory(const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_CALL || node->kind == CW_BUILTIN || node->kind == CW_INDEX ||
        (node->kind == CW_MEMBER && node->arrow) ||
        (node->kind == CW_UNARY && strcmp(node->op, "*") == 0) ||
        (node->kind == CW_REF && node->decl != NULL && node->decl->kind == CW_D_VARIABLE &&
         !is_automatic(node->decl) && !node->decl->thread_local_))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (reads_memory(node->kids[i]))
            return true;
    return false;
}

/* What an assignment changes: a variable or a member; NULL: something else. */
static const cw_decl *changed_by(const cw_node *node)
{
    bool changes = node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN ||
                   (node->kind == CW_UNARY && strchr("+-", node->op[0]) != NULL &&
                    node->op[1] == node->op[0]);
    const cw_node *target = changes && node->nkids > 0 ? cw_strip(node->kids[0]) : NULL;
    while (target != NULL && target->kind == CW_INDEX)
        target = cw_strip(target->kids[0]);
    return target != NULL && (target->kind == CW_REF || target->kind == CW_MEMBER) ? target->decl
                                                                                   : NULL;
}

static bool names(const cw_node *node, const cw_decl *decl)
{
    if (node == NULL)
        return false;
    if ((node->kind == CW_REF || node->kind == CW_MEMBER) && node->decl == decl)
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (names(node->kids[i], decl))
            return true;
    return false;
}

/* Does an exchange in the condition read this local anew? */
static bool is_reread(const cw_node *condition, const cw_decl *decl)
{
    if (condition == NULL)
        return false;
    if (condition->kind == CW_UNARY && condition->op[0] == '&' &&
        cw_strip(condition->kids[0])->decl == decl)
        return true;
    for (size_t i = 0; i < condition->nkids; i++)
        if (is_reread(condition->kids[i], decl))
            return true;
    return false;
}

/* Does this code go on by itself: does it change something of the condition, or without one
 * anything, by what it was before? An assignment to a local of something else is none: as one that
 * reads again what others write, or that sets what a failed exchange has changed. */
static bool goes_on(const cw_node *node, const cw_node *condition)
{
    if (node == NULL)
        return false;
    const cw_decl *changed = changed_by(node);
    bool by_itself = changed != NULL && (node->kind != CW_ASSIGN || names(node->kids[1], changed) ||
                                         (condition != NULL && !is_automatic(changed)));
    if (by_itself && (condition == NULL || names(condition, changed)) &&
        !is_reread(condition, changed))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (goes_on(node->kids[i], condition))
            return true;
    return false;
}

/* Is a local of the condition read again in the loop, from what others may write? */
static bool reads_again(const cw_node *condition, const cw_node *node)
{
    if (node == NULL)
        return false;
    const cw_decl *changed = node->kind == CW_ASSIGN ? changed_by(node) : NULL;
    if (changed != NULL && reads_memory(node->kids[1]) && names(condition, changed))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (reads_again(condition, node->kids[i]))
            return true;
    return false;
}

/* ---- loops of exchanges ---- */

/* A value that is read, and not computed. */
static bool is_read(const cw_node *node)
{
    node = cw_strip(node);
    if (node->kind == CW_STMT_EXPR)
        node = cw_value_statement(node) != NULL ? cw_strip(cw_value_statement(node)->kids[0])
                                                : NULL;
    return node != NULL &&
           (node->kind == CW_REF || node->kind == CW_MEMBER || node->kind == CW_INDEX ||
            node->kind == CW_BUILTIN || (node->kind == CW_UNARY && node->op[0] == '*'));
}

/* Whether all that the code assigns to a local is read, and not computed. *reads: it is. */
static bool only_reads(const cw_node *node, const cw_decl *decl, bool *reads)
{
    if (node == NULL)
        return true;
    const cw_node *value = node->kind == CW_VAR && node->decl == decl            ? node->kids[0]
                           : node->kind == CW_ASSIGN && changed_by(node) == decl ? node->kids[1]
                                                                                 : NULL;
    if ((value != NULL && !is_read(value)) || (node->kind != CW_ASSIGN && changed_by(node) == decl))
        return false;
    *reads |= value != NULL;
    for (size_t i = 0; i < node->nkids; i++)
        if (!only_reads(node->kids[i], decl, reads))
            return false;
    return true;
}

/* What an exchange compares with; NULL: the node is none. *by_address: it is where that stands, and
 * an exchange that fails reads it anew. */
static const cw_node *compared_by(const cw_unit *unit, const cw_node *node, bool *by_address)
{
    static const char names[] = "__atomic_compare_exchange __c11_atomic_compare_exchange";
    const cw_decl *called = node->kind == CW_CALL ? cw_function_called(node) : NULL;
    *by_address = node->kind == CW_BUILTIN;
    if (node->kind == CW_STMT_EXPR) {
        const cw_node *last = cw_value_statement(node);
        return last != NULL ? compared_by(unit, cw_strip(last->kids[0]), by_address) : NULL;
    }
    if (*by_address && node->nkids > 2 && cw_lists_begin_of(names, unit->text + node->begin))
        return cw_strip(node->kids[1]);
    return called != NULL && node->nkids > 3 && /* clang adds the size */
                   cw_lists_begin_of("__sync_bool_compare_and_swap", called->name)
               ? cw_strip(node->kids[2])
               : NULL;
}

/* Is it an exchange that only fails if another thread has gone on? */
static bool is_exchange(const cw_unit *unit, const cw_node *node, const cw_node *loop)
{
    bool by_address, reads = false;
    const cw_node *with = compared_by(unit, cw_strip(node), &by_address);
    if (with == NULL)
        return false;
    if (by_address && with->kind == CW_UNARY && with->op[0] == '&')
        with = cw_strip(with->kids[0]);
    else if (by_address)
        return false;
    if (with->kind != CW_REF || !is_automatic(with->decl))
        return !by_address && is_read(with);
    return only_reads(loop, with->decl, &reads) && (by_address || reads);
}

/* If the condition holds, has such an exchange failed? */
static bool is_failed_exchange(const cw_unit *unit, const cw_node *condition, const cw_node *loop)
{
    const cw_node *node = cw_strip(condition);
    if (node->kind == CW_AND_OR && strcmp(node->op, "&&") == 0)
        return is_failed_exchange(unit, node->kids[0], loop) ||
               is_failed_exchange(unit, node->kids[1], loop);
    return node->kind == CW_UNARY && node->op[0] == '!' && is_exchange(unit, node->kids[0], loop);
}

static bool goes_round(const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_CONTINUE || node->kind == CW_GOTO || node->kind == CW_INDIRECT_GOTO)
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (goes_round(node->kids[i]))
            return true;
    return false;
}

/* Does each round of the body come to such an exchange? */
static bool always_exchanges(const cw_unit *unit, const cw_node *body, const cw_node *loop)
{
    for (size_t i = 0; body->kind == CW_BLOCK && i < body->nkids; i++) {
        const cw_node *node = body->kids[i];
        if (node->kind == CW_IF && (is_exchange(unit, node->kids[0], loop) ||
                                    is_failed_exchange(unit, node->kids[0], loop)))
            return true;
        if (goes_round(node))
            return false;
    }
    return false;
}

static bool exchanges(const cw_unit *unit, const cw_node *loop, const cw_node *condition)
{
    const cw_node *body = loop->kind == CW_DO ? loop->kids[0] : loop->kids[loop->nkids - 1];
    return (condition != NULL && is_failed_exchange(unit, condition, loop)) ||
           always_exchanges(unit, body, loop);
}

/* NULL: none, as of "while (1)". */
static const cw_node *condition_of(const cw_node *loop)
{
    const cw_node *condition = loop->kids[loop->kind == CW_WHILE ? 0 : 1];
    return condition != NULL && cw_strip(condition)->kind == CW_LITERAL ? NULL : condition;
}

static bool is_shared(const cw_type *type)
{
    for (; type->kind == CW_T_TYPEDEF; type = type->inner)
        if (type->is_volatile)
            return true;
    return type->is_volatile || type->kind == CW_T_ATOMIC;
}

/* Does it read what is declared as something that others write, or by functions for that? */
static bool reads_shared(const cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return false;
    bool is_call = node->kind == CW_BUILTIN || node->kind == CW_CALL;
    bool is_place = node->kind == CW_REF || node->kind == CW_MEMBER || node->kind == CW_INDEX ||
                    node->kind == CW_UNARY;
    if (is_call && cw_lists_begin_of("__atomic_ __c11_atomic_ __sync_", unit->text + node->begin))
        return true;
    if (node->kind == CW_UNARY && node->op[0] == '&')
        return false;
    if (is_place && node->type != NULL && is_shared(node->type))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (reads_shared(unit, node->kids[i]))
            return true;
    return false;
}

static bool is_spin(const cw_unit *unit, const cw_node *loop)
{
    const cw_node *condition = condition_of(loop);
    return !calls(loop) &&
           (condition == NULL || reads_memory(condition) || reads_again(condition, loop)) &&
           (!goes_on(loop, condition) || (condition == NULL && reads_shared(unit, loop))) &&
           !exchanges(unit, loop, condition);
}

/* Another thread may have to end a loop that is none of cw_spins(), but reads what is volatile or
 * atomic: "for (;; n++) if (stop) break;". */
bool cw_only_computes(const cw_unit *unit, const cw_node *loop)
{
    return !calls(loop) && !is_spin(unit, loop) &&
           (!reads_shared(unit, loop) || exchanges(unit, loop, condition_of(loop)));
}

bool cw_spins(const cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return false;
    if ((node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR) &&
        is_spin(unit, node))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_spins(unit, node->kids[i]))
            return true;
    return false;
}
