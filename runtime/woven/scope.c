/* scope.c - a body, and the wait for all that it has started.
 *
 * The scope is a local of this activation: pinned, for tasks know its address. None of them knows it any more once the wait is
 * over. That wait itself must not be cut short; a cancellation of the task around it is handed to the children instead. */
#include "../group.h"
#include "../source.h"

pausable int co4_scope_run(int flags, co4_scope_body *body, void *arg)
{
    struct co4_scope scope;
    if (!body || (flags & ~CO4_SCOPE_KEEP_GOING))
        return CO4_EINVAL;
#ifndef CO4_PLAIN
    if (co4__may_wait() == CO4_ESTATE)
        return CO4_ESTATE;
#endif
    co4__scope_open(&scope, flags);
    int result = body(&scope, arg);
    if (result < 0)
        co4__scope_failed(&scope, result);
#ifndef CO4_PLAIN
    if (co4__scope_wait(&scope) == CO4_ECANCELED) {
        co4__scope_failed(&scope, CO4_ECANCELED);
        co4_scope_cancel(&scope, co4_task_cancelled(co4_self()));
        co4_shield_begin();
        co4__scope_wait(&scope);
        co4_shield_end();
    }
#endif
    int failure = co4__scope_failure(&scope);
    return failure < 0 ? failure : result;
}
