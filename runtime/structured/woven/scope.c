/* scope.c - a body, and the wait for all that it has started.
 *
 * That wait must not be cut short; a cancellation of the task around it is handed to the children
 * instead. Closing the scope is a cleanup: it also happens when the task is given up. */
#include "structured/group.h"
#include "sync/source.h"

pausable int co4_scope_run(int flags, co4_scope_body *body, void *arg)
{
    if (!body || (flags & ~CO4_SCOPE_KEEP_GOING))
        return co4__spent(CO4_EINVAL);
#ifndef CO4_PLAIN
    if (co4__may_wait() == CO4_ESTATE)
        return CO4_ESTATE;
#endif
    __attribute__((cleanup(co4__scope_close))) co4_scope *scope = NULL;
    scope = co4__scope_open(flags, &scope);
    if (!scope)
        return CO4_ENOMEM;
    int result = body(scope, arg);
    co4__scope_body_ended(scope);
    if (result < 0)
        co4__scope_failed(scope, result);
#ifndef CO4_PLAIN
    if (co4__scope_wait(scope) == CO4_ECANCELED) {
        co4__scope_failed(scope, CO4_ECANCELED);
        co4_scope_cancel(scope, co4_task_cancelled(co4_self()));
        co4_shield_begin();
        co4__scope_wait(scope);
        co4_shield_end();
    }
#endif
    int failure = co4__scope_failure(scope);
    return failure < 0 ? failure : result;
}
