/* mailbox_extension.c - the state that few mailboxes need, and the calls of subscribers.
 *
 * Concurrency: subscribers are called without the lock, on the thread that caused the event. That
 * thread has a list of tasks to wake after it releases the lock. A listener in that list,
 * `notifier`, represents the calls: its wake makes them. It is in one list at a time (`pending`).
 * Each watch records the events that happen meanwhile, and the thread that is calling reports them.
 * So two threads never call for one mailbox at once, and a call that uses the mailbox does not call
 * itself. An unsubscribe removes the watch from the list. Then it waits for a call of the watch
 * that is under way, unless the unsubscribe is in that call. */
#include "sync/mailbox_extension.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/look.h"
#include "sync/mailbox.h"

static struct co4__mailbox_extension *of_notifier(const co4_listener *l)
{
    return (
        struct co4__mailbox_extension *)(void *)((char *)(uintptr_t)l -
                                                 offsetof(struct co4__mailbox_extension, notifier));
}

/* Called under the lock. Returns the next watch to be called, and its events. NULL: all have been
 * called. */
static co4_mailbox_watch *next_pending(struct co4__mailbox_extension *x, int *events)
{
    for (co4_mailbox_watch *w = x->watches; w; w = w->co4_private.next)
        if (w->co4_private.pending) {
            *events = w->co4_private.pending;
            w->co4_private.pending = 0;
            return w;
        }
    return NULL;
}

static void call_all(co4_listener *l)
{
    struct co4__mailbox_extension *x = of_notifier(l);
    co4_mailbox *mb = x->mailbox;
    int events;
    co4__lock_take(&mb->queues[0].lock);
    x->caller = co4__local();
    while ((x->calling = next_pending(x, &events)) != NULL) {
        co4_mailbox_watch *w = x->calling;
        co4__lock_give(&mb->queues[0].lock);
        w->call(w->arg, mb, events);
        co4__lock_take(&mb->queues[0].lock);
    }
    x->caller = NULL;
    x->pending = false;
    co4__lock_give(&mb->queues[0].lock);
}

/* The notifier is only ever woken. */
static const co4_listener_ops notifier_ops = { NULL, NULL, NULL, call_all, NULL, NULL };

void co4__mailbox_tell(co4_mailbox *mb, int events, struct co4__list *woken)
{
    struct co4__mailbox_extension *x = mb->extension;
    bool any = false;
    for (co4_mailbox_watch *w = x ? x->watches : NULL; w; w = w->co4_private.next) {
        int news = events & w->events;
        if (co4__mailbox_count(mb) != w->high)
            news &= ~CO4_MAILBOX_HIGH;
        w->co4_private.pending |= news;
        any = any || news;
    }
    if (!any || x->pending)
        return;
    x->pending = true;
    co4__list_push(woken, co4__waiter_of(&x->notifier));
}

void co4__mailbox_notified(co4_listener *l)
{
    co4_mailbox *mb = co4__mailbox_of(l);
    co4__lock_take(&mb->queues[0].lock);
    mb->extension->notified--;
    co4__lock_give(&mb->queues[0].lock);
}

/* Notifies the listeners that wait for no more messages than there are. */
static void tell_counters(co4_mailbox *mb, struct co4__list *woken)
{
    for (struct co4__waiter *w = mb->extension->counters.waiters.head, *next; w; w = next) {
        next = w->next;
        const co4_holding *h = w->result.wait.buffer;
        if (h->n > co4__mailbox_count(mb))
            continue;
        bool wants = co4__offer_counted(co4__listener_of(w), CO4_OK, NULL, &mb->extension->notified,
                                        co4__mailbox_notified) != 0;
        co4__wait_queue_remove(&mb->extension->counters, w);
        if (wants)
            co4__list_push(woken, w);
    }
}

void co4__mailbox_came(co4_mailbox *mb, struct co4__list *woken)
{
    if (!mb->extension)
        return;
    tell_counters(mb, woken);
    co4__mailbox_tell(mb, CO4_MAILBOX_MESSAGE | CO4_MAILBOX_HIGH, woken);
}

int co4__mailbox_need_extension(co4_mailbox *mb)
{
    co4__lock_take(&mb->queues[0].lock);
    bool had = mb->extension != NULL;
    co4__lock_give(&mb->queues[0].lock);
    if (had)
        return CO4_OK;
    struct co4__mailbox_extension *fresh = co4__pool_take(sizeof *fresh);
    if (!fresh)
        return CO4_ENOMEM;
    memset(fresh, 0, sizeof *fresh);
    fresh->mailbox = mb;
    fresh->urgent.elem_size = mb->ring.elem_size;
    fresh->notifier.ops = &notifier_ops;
    co4__waiter_of(&fresh->notifier)->kind = CO4__WAITER_LISTENER;
    co4__lock_take(&mb->queues[0].lock);
    had = mb->extension != NULL;
    if (!had) {
        mb->extension = fresh;
        mb->slow |= CO4__SLOW;
    }
    co4__lock_give(&mb->queues[0].lock);
    if (had)
        co4__pool_drop(fresh, sizeof *fresh);
    return CO4_OK;
}

int co4_mailbox_subscribe(co4_mailbox *mb, co4_mailbox_watch *watch)
{
    const int all = CO4_MAILBOX_MESSAGE | CO4_MAILBOX_SPACE | CO4_MAILBOX_CLOSED | CO4_MAILBOX_HIGH;
    if (!mb || !watch || !watch->call || !watch->events || (watch->events & ~all))
        return CO4_EINVAL;
    if (co4__mailbox_need_extension(mb) != CO4_OK)
        return CO4_ENOMEM;
    co4__lock_take(&mb->queues[0].lock);
    co4_mailbox_watch **at = &mb->extension->watches;
    int watches = 0;
    for (; *at && *at != watch; watches++)
        at = &(*at)->co4_private.next;
    int err = *at ? CO4_ESTATE : watches == CO4_MAILBOX_WATCHES ? CO4_EFULL : CO4_OK;
    if (err == CO4_OK) {
        watch->co4_private.next = NULL;
        watch->co4_private.pending = 0;
        *at = watch;
    }
    co4__lock_give(&mb->queues[0].lock);
    return err;
}

int co4_mailbox_unsubscribe(co4_mailbox *mb, co4_mailbox_watch *watch)
{
    if (!mb || !watch)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    struct co4__mailbox_extension *x = mb->extension;
    co4_mailbox_watch **at = x ? &x->watches : NULL;
    while (at && *at && *at != watch)
        at = &(*at)->co4_private.next;
    bool found = at && *at;
    if (found)
        *at = watch->co4_private.next;
    for (unsigned tries = 0; found && x->calling == watch && x->caller != co4__local(); tries++) {
        co4__lock_give(&mb->queues[0].lock);
        co4__back_off(tries);
        co4__lock_take(&mb->queues[0].lock);
    }
    co4__lock_give(&mb->queues[0].lock);
    return found ? CO4_OK : CO4_ESTATE;
}
