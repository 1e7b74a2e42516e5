/* defer.c - deferred calls, which a task makes at its end, the newest first. */
#include "core/defer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/public.h"
#include "base/table.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "memory/pool.h"
#include "platform/thread.h"

enum { NEAR = 16 }; /* so many are looked at before there is an index */

static uintptr_t key_of(void (*call)(void *arg), const void *arg)
{
    return (uintptr_t)call * 31 ^ (uintptr_t)arg;
}

static bool is_same(const struct co4__defer *d, void (*call)(void *arg), const void *arg)
{
    return d->call == call && d->arg == arg;
}

int co4__defer(co4_task *t, void (*call)(void *arg), void *arg)
{
    struct co4__task_extension *x = co4__extension_make(t);
    struct co4__defer *d = x ? co4__pool_take(sizeof *d) : NULL;
    if (!d)
        return CO4_ENOMEM;
    *d = (struct co4__defer){ .older = x->defers, .call = call, .arg = arg };
    if (d->older)
        d->older->newer = d;
    x->defers = d;
    if (x->defer_index)
        co4__table_add_growing(x->defer_index, &d->node, key_of(call, arg));
    return CO4_OK;
}

int co4_defer(void (*call)(void *arg), void *arg)
{
    co4_task *t = co4__local()->current;
    return !call ? CO4_EINVAL : t ? co4__defer(t, call, arg) : CO4_ESTATE;
}

static void take_out(struct co4__task_extension *x, struct co4__defer *d)
{
    *(d->newer ? &d->newer->older : &x->defers) = d->older;
    if (d->older)
        d->older->newer = d->newer;
    if (x->defer_index)
        co4__table_remove(x->defer_index, &d->node);
}

/* Without memory there is no index, and a search goes through the list. */
static bool make_index(struct co4__task_extension *x)
{
    struct co4__defer *d = x->defers;
    if (!x->defer_index && (x->defer_index = co4__alloc(sizeof *x->defer_index)) != NULL) {
        while (d->older)
            d = d->older;
        for (; d; d = d->newer)
            co4__table_add_growing(x->defer_index, &d->node, key_of(d->call, d->arg));
    }
    return x->defer_index != NULL;
}

static struct co4__defer *defer_find(struct co4__task_extension *x, void (*call)(void *arg),
                                     const void *arg)
{
    unsigned looked = 0;
    for (struct co4__defer *d = x->defers; d; d = d->older) {
        if (is_same(d, call, arg))
            return d;
        if (++looked == NEAR && make_index(x))
            break;
    }
    struct co4__table_node *n = x->defer_index ? co4__table_find(x->defer_index, key_of(call, arg))
                                               : NULL;
    while (n && !is_same((struct co4__defer *)(void *)n, call, arg))
        n = co4__table_find_next(n);
    return (struct co4__defer *)(void *)n;
}

int co4__undefer(co4_task *t, void (*call)(void *arg), void *arg)
{
    struct co4__task_extension *x = co4__extension_of(t);
    struct co4__defer *d = x ? defer_find(x, call, arg) : NULL;
    if (!d)
        return CO4_ESTATE;
    take_out(x, d);
    co4__pool_drop(d, sizeof *d);
    return CO4_OK;
}

int co4_undefer(void (*call)(void *arg), void *arg)
{
    co4_task *t = co4__local()->current;
    return t ? co4__undefer(t, call, arg) : CO4_ESTATE;
}

void co4__defers_run(struct co4__task_extension *x)
{
    for (struct co4__defer *d; (d = x->defers) != NULL;) {
        take_out(x, d);
        d->call(d->arg);
        co4__pool_drop(d, sizeof *d);
    }
    co4__table_free(&x->defer_index);
}
