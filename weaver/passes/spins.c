/* spins.c - loops that wait for what another thread does, without a call: "while (!stop);".
 *
 * Where threads are tasks, such a loop has to let others go on. It is one whose condition reads
 * memory, and which changes nothing of that by itself; or that has no condition, and counts
 * nothing. A loop that calls a function is none: that may change what is read. Compilers' own
 * functions do not count, as those of <stdatomic.h> are. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
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
    if (by_itself && (condition == NULL || names(condition, changed)))
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

static bool is_spin(const cw_node *loop)
{
    const cw_node *condition = loop->kind == CW_WHILE ? loop->kids[0] : loop->kids[1];
    if (condition != NULL && cw_strip(condition)->kind == CW_LITERAL)
        condition = NULL; /* "while (1)" */
    return !calls(loop) &&
           (condition == NULL || reads_memory(condition) || reads_again(condition, loop)) &&
           !goes_on(loop, condition);
}

bool cw_spins(const cw_node *node)
{
    if (node == NULL)
        return false;
    if ((node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR) && is_spin(node))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_spins(node->kids[i]))
            return true;
    return false;
}
