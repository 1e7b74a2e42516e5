/* scope_limit.c - the time of a scope: co4_scope_run_until(), co4_timeout().
 *
 * Purpose: a limit is a listener at a timer. When the timer is due, it cancels the scope, on
 * whatever thread fires the timer.
 *
 * Concurrency: the scope and the limit are in a frame of the scope's task. That task drops the
 * listener before it closes the scope. If the timer fires at that moment, the task waits until the
 * other thread has cancelled the scope: `state`, whose release pairs with the acquire there. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "platform/thread.h"
#include "structured/group.h"
#include "sync/source.h"

enum { WAITS, FIRES, HAS_FIRED }; /* the state of a limit */

static struct co4__scope_limit *limit_of(const co4_listener *l)
{
    return (struct co4__scope_limit *)(void *)((char *)(uintptr_t)l -
                                               offsetof(struct co4__scope_limit, listener));
}

static int limit_acquire(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void limit_complete(co4_listener *l, int code, const void *value)
{
    (void)code, (void)value;
    atomic_store_explicit(&limit_of(l)->state, FIRES, memory_order_release);
}

static void limit_release(co4_listener *l)
{
    (void)l;
}

/* The last use of the limit: its task may go on then, and free it. */
static void limit_wake(co4_listener *l)
{
    struct co4__scope_limit *limit = limit_of(l);
    co4_scope_cancel(limit->scope, CO4_ETIMEDOUT);
    atomic_store_explicit(&limit->state, HAS_FIRED, memory_order_release);
}

static const void *limit_owner(const co4_listener *l)
{
    return limit_of(l);
}

static const co4_listener_ops limit_ops = { limit_acquire, limit_complete, limit_release,
                                            limit_wake,    limit_owner,    NULL };

int co4__scope_limit_begin(struct co4__scope_limit *limit, co4_scope *scope, int64_t deadline)
{
    memset(limit, 0, sizeof *limit);
    co4_timer_init(&limit->timer);
    co4_timer_start(&limit->timer, deadline);
    limit->listener.ops = &limit_ops;
    limit->scope = scope;
    int err = co4__source_add(co4_timer_source(&limit->timer), &limit->listener);
    if (err == 1)
        limit_wake(&limit->listener);
    return err < 0 ? err : CO4_OK;
}

void co4__scope_limit_end(struct co4__scope_limit *limit)
{
    if (!limit->scope)
        return;
    co4__source_drop(co4_timer_source(&limit->timer), &limit->listener);
    for (unsigned tries = 0; atomic_load_explicit(&limit->state, memory_order_acquire) == FIRES;
         tries++) /* another thread is cancelling the scope */
        co4__back_off(tries);
    co4_timer_destroy(&limit->timer);
    limit->scope = NULL;
}

bool co4__scope_limit_was_reached(const struct co4__scope_limit *limit)
{
    return atomic_load_explicit(&limit->state, memory_order_relaxed) == HAS_FIRED;
}
