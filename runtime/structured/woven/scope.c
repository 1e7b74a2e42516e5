/* scope.c - a body, and the wait for all tasks that it has started.
 *
 * That wait must not be interrupted; a cancellation of the task around it goes to the children
 * instead. Closing the scope is a cleanup: it also happens when the task is abandoned. */
#include "structured/group.h"
#include "sync/source.h"

#ifdef CO4_PLAIN

int co4_plain_scope_begin(int flags)
{
    return co4__scope_takes(flags) ? co4__plain_scope_open(flags) : CO4_EINVAL;
}

int co4_plain_scope_end(int code)
{
    co4_scope *scope = co4_scope_here();
    if (code < 0)
        co4__scope_failed(scope, code);
    code = co4__scope_result(scope, code);
    co4__plain_scope_close(scope);
    return code;
}

#else

#include "core/call.h"

pausable int co4_abi_scope_run(int flags, struct co4_call *body, struct co4__scope_limit *limit)
{
    __attribute__((cleanup(co4__prepared_drop))) struct co4_call *call = body;
    __attribute__((cleanup(co4__scope_close))) co4_scope *scope = NULL;
    __attribute__((cleanup(co4__scope_limit_drop))) struct co4__scope_limit *time = limit;
    if (!co4__scope_takes(flags))
        return co4__spent(CO4_EINVAL);
    if (co4__may_wait() == CO4_ESTATE)
        return CO4_ESTATE;
    scope = body ? co4__scope_open(flags, &scope) : NULL;
    if (!scope || (time && time->begin(time, scope) != CO4_OK))
        return CO4_ENOMEM;
    call = NULL;
    int result = co4__call_run(body);
    co4__scope_body_ended(scope);
    if (result < 0)
        co4__scope_failed(scope, result);
    if (co4__scope_wait(scope) == CO4_ECANCELED) {
        co4__scope_failed(scope, CO4_ECANCELED);
        co4_scope_cancel(scope, co4_task_cancelled(co4_self()));
        co4_shield_begin();
        co4__scope_wait(scope);
        co4_shield_end();
    }
    result = co4__scope_result(scope, result);
    return time && time->end(time) && result < 0 ? CO4_ETIMEDOUT : result;
}

#endif
