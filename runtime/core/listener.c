/* listener.c - listeners among the waiters of a queue, for sources. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"

void co4__listener_queue(struct co4__wait_queue *p, co4_listener *l, unsigned kind, void *buffer,
                         void *where)
{
    l->co4_private.mark = 0;
    co4__waiter_of(l)->kind = CO4__WAITER_LISTENER;
    co4__queue_waiter(co4__waiter_of(l), p, kind, buffer, where);
}

void co4__wait_queue_remove(struct co4__wait_queue *p, struct co4__waiter *w)
{
    co4__list_remove(&p->waiters, w);
    atomic_store_explicit(&w->claim, CO4__WAIT_NONE, memory_order_release);
}

bool co4__listener_is_queued(co4_listener *l)
{
    /* Acquire: pairs with the removal's release. */
    return atomic_load_explicit(&co4__waiter_of(l)->claim, memory_order_acquire) != CO4__WAIT_NONE;
}

bool co4__listener_drop(struct co4__wait_queue *p, co4_listener *l)
{
    if (!co4__listener_is_queued(l))
        return false;
    co4__lock *lock = &co4__wait_queue_first(p)->lock;
    co4__lock_take(lock);
    bool there = co4__listener_is_queued(l);
    if (there)
        co4__wait_queue_remove(p, co4__waiter_of(l));
    co4__lock_give(lock);
    return there;
}

int co4__listener_acquire_always(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

void co4__listener_complete_empty(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
}

void co4__listener_release_empty(co4_listener *l)
{
    (void)l;
}

const void *co4__listener_is_owner(const co4_listener *l)
{
    return l;
}

static int wrong_add(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return CO4_EINVAL;
}

static void wrong_drop(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
}

const co4_source_ops co4__wrong_size_ops = { wrong_add, wrong_add, wrong_drop, NULL };
