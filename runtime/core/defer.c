/* defer.c - the actions at the end of a task: deferred calls, newest first, then its local
 * values. */
#include "core/defer.h"

#include <stddef.h>

#include "base/public.h"
#include "core/local.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "memory/pool.h"
#include "platform/thread.h"

int co4_defer(void (*call)(void *arg), void *arg)
{
    co4_task *t = co4__local()->current;
    if (!call)
        return CO4_EINVAL;
    if (!t)
        return CO4_ESTATE;
    struct co4__task_extension *x = co4__extension_make(t);
    struct co4__defer *d = x ? co4__pool_take(sizeof *d) : NULL;
    if (!d)
        return CO4_ENOMEM;
    *d = (struct co4__defer){ x->defers, call, arg };
    x->defers = d;
    return CO4_OK;
}

int co4_undefer(void (*call)(void *arg), void *arg)
{
    co4_task *t = co4__local()->current;
    struct co4__task_extension *x = t ? co4__extension_of(t) : NULL;
    for (struct co4__defer **at = x ? &x->defers : NULL; at && *at; at = &(*at)->older) {
        struct co4__defer *d = *at;
        if (d->call != call || d->arg != arg)
            continue;
        *at = d->older;
        co4__pool_drop(d, sizeof *d);
        return CO4_OK;
    }
    return CO4_ESTATE;
}

void co4__extension_ended(co4_task *t, int error, const void *value)
{
    struct co4__task_extension *x = co4__extension_of(t);
    for (struct co4__defer *d; (d = x->defers) != NULL;) {
        x->defers = d->older;
        d->call(d->arg);
        co4__pool_drop(d, sizeof *d);
    }
    co4__task_local_end(x);
    co4__task_hooks.ends(x, t, error, value);
}
