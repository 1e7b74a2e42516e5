/* scope_limit.c - the time of a scope: co4_scope_run_until(), co4_timeout().
 *
 * Purpose: a limit is a listener at a timer. When the timer is due, it cancels the scope, on
 * whatever thread fires the timer.
 *
 * Concurrency: the task of the scope drops the listener before it closes the scope. If the timer
 * fires at that moment, the task waits until the other thread has cancelled the scope: `state`,
 * whose release there pairs with the acquire here. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "memory/pool.h"
#include "platform/thread.h"
#include "structured/group.h"
#include "sync/source.h"

enum { FIRES = 1, HAS_FIRED };

struct timed {
    struct co4__scope_limit limit; /* first */
    co4_scope *scope;              /* NULL: it has not begun, or has ended */
    int64_t deadline;
    co4_timer timer;
    co4_listener listener;
    atomic_int state; /* 0, then FIRES, HAS_FIRED */
};

static struct timed *timed_of(co4_listener *l)
{
    return (struct timed *)(void *)((char *)l - offsetof(struct timed, listener));
}

static void limit_complete(co4_listener *l, int code, const void *value)
{
    (void)code, (void)value;
    atomic_store_explicit(&timed_of(l)->state, FIRES, memory_order_relaxed);
}

/* The last use of the limit: its task may go on then, and free it. */
static void limit_wake(co4_listener *l)
{
    struct timed *t = timed_of(l);
    co4_scope_cancel(t->scope, CO4_ETIMEDOUT);
    atomic_store_explicit(&t->state, HAS_FIRED, memory_order_release);
}

static const co4_listener_ops limit_ops = {
    .acquire = co4__listener_acquire_always,
    .complete = limit_complete,
    .release = co4__listener_release_empty,
    .wake = limit_wake,
    .owner = co4__listener_is_owner,
};

static int limit_begin(struct co4__scope_limit *limit, co4_scope *scope)
{
    struct timed *t = (struct timed *)limit;
    co4_timer_init(&t->timer);
    co4_timer_start(&t->timer, t->deadline);
    t->listener.ops = &limit_ops;
    t->scope = scope;
    int err = co4__source_add(co4_timer_source(&t->timer), &t->listener);
    if (err == 1)
        limit_wake(&t->listener);
    return err < 0 ? err : CO4_OK;
}

static bool limit_end(struct co4__scope_limit *limit)
{
    struct timed *t = (struct timed *)limit;
    if (t->scope) {
        co4__source_drop(co4_timer_source(&t->timer), &t->listener);
        /* another thread may be cancelling the scope */
        for (unsigned tries = 0; atomic_load_explicit(&t->state, memory_order_acquire) == FIRES;
             tries++)
            co4__back_off(tries);
        co4_timer_destroy(&t->timer);
        t->scope = NULL;
    }
    return atomic_load_explicit(&t->state, memory_order_relaxed) == HAS_FIRED;
}

static void limit_drop(struct co4__scope_limit *limit)
{
    limit_end(limit);
    co4__pool_drop(limit, sizeof(struct timed));
}

int co4_scope_run_until__co4(co4_fiber *co4, int flags, struct co4_call *body, int64_t deadline)
{
    struct timed *t = co4__pool_take(sizeof *t);
    if (!t) {
        co4_abi_call_drop(body);
        return co4__done(co4, CO4_ENOMEM);
    }
    memset(t, 0, sizeof *t);
    t->limit = (struct co4__scope_limit){ limit_begin, limit_end, limit_drop };
    t->deadline = deadline;
    int result = co4_abi_scope_run__co4(co4, flags, body, &t->limit);
    if (CO4__UNLIKELY(co4->pausing == CO4_ABI_FAILED && !co4->last)) { /* no frame was saved */
        limit_drop(&t->limit);
        co4_abi_call_drop(body);
    }
    return result;
}
