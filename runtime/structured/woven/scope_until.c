/* scope_until.c - a scope with a limit of time. */
#include "core/call.h"
#include "structured/group.h"
#include "sync/source.h"

#ifndef CO4_PLAIN

pausable int co4_abi_scope_run_until(int flags, struct co4_call *body, int64_t deadline)
{
    __attribute__((cleanup(co4__prepared_drop))) struct co4_call *call = body;
    if (!co4__scope_takes(flags))
        return co4__spent(CO4_EINVAL);
    if (co4__may_wait() == CO4_ESTATE)
        return CO4_ESTATE;
    __attribute__((cleanup(co4__scope_close))) co4_scope *scope = NULL;
    __attribute__((cleanup(co4__scope_limit_end))) struct co4__scope_limit limit;
    limit.scope = NULL;
    scope = body ? co4__scope_open(flags, &scope) : NULL;
    if (!scope)
        return CO4_ENOMEM;
    int err = co4__scope_limit_begin(&limit, scope, deadline);
    if (err != CO4_OK)
        return err;
    call = NULL;
    int result = co4__scope_run_in(scope, body);
    co4__scope_limit_end(&limit);
    return result < 0 && co4__scope_limit_was_reached(&limit) ? CO4_ETIMEDOUT : result;
}

#endif
