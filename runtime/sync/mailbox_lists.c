/* mailbox_lists.c - the wait queues of a mailbox.
 *
 * Purpose: usually all waiters of a mailbox wait for the same: for a message, as there is none, or
 * for a place, as there is none. But a message may be held back for a listener that looks at it
 * (look.h), or a filter may refuse it. Then receivers wait although the mailbox fills up, and
 * senders join them.
 *
 * Invariants: a task or thread stays in its queue. Listeners move with their queue: a removal needs
 * the queue only of a listener at an end of it, and the ends of the queues tell which one that is.
 *
 * Set aside: a listener that has refused the oldest message is in `aside` until another message is
 * the oldest. Then it goes behind the other waiters. So each listener is asked once about each
 * message. If it stayed among the others, two listeners that refuse a message would be notified of
 * it in turns, for ever. Listeners that refuse a place are set aside until the next place becomes
 * free. */
#include "sync/mailbox_lists.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/mailbox.h"
#include "sync/mailbox_extension.h"

/* Returns whether a waiter is queued that is not claimed. Few claimed ones are queued before it
 * (wait.c). */
static bool any_waits(const struct co4__wait_queue *p)
{
    const struct co4__waiter *w = p->waiters.head;
    while (w && co4__waits_for(w) == CO4__WAIT_NONE)
        w = w->next;
    return w != NULL;
}

bool co4__mailbox_sender_late(const co4_mailbox *mb)
{
    const struct co4__mailbox_extension *x = mb->extension;
    if (mb->slow & CO4__HELD_SEND)
        return false;
    return any_waits(&mb->queues[CO4__SENDERS]) || (x && x->urgent_waiters.waiters.head);
}

/* With an extension such receivers are normal, and do not block senders. */
bool co4__mailbox_receiver_late(const co4_mailbox *mb)
{
    return mb->ring.count > 0 && !mb->extension && any_waits(&mb->queues[CO4__RECEIVERS]);
}

/* The extension exists. */
struct co4__wait_queue *co4__mailbox_aside(co4_mailbox *mb, unsigned kind)
{
    return &mb->extension->aside[kind == CO4__WAIT_RECEIVE ? 0 : kind == CO4__WAIT_SEND ? 1 : 2];
}

static void ask_again(co4_mailbox *mb, unsigned kind, struct co4__wait_queue *list)
{
    co4__list_append(&list->waiters, &co4__mailbox_aside(mb, kind)->waiters);
}

void co4__mailbox_ask_of_message(co4_mailbox *mb)
{
    ask_again(mb, CO4__WAIT_RECEIVE, co4__mailbox_queue(mb, CO4__WAIT_RECEIVE));
}

void co4__mailbox_ask_of_room(co4_mailbox *mb)
{
    ask_again(mb, CO4__WAIT_SEND, co4__mailbox_queue(mb, CO4__WAIT_SEND));
    ask_again(mb, CO4__WAIT_URGENT, &mb->extension->urgent_waiters);
}

static struct co4__wait_queue *list_of(co4_mailbox *mb, const struct co4__waiter *w)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (co4__list_ends_with(&mb->queues[CO4__SENDERS].waiters, w))
        return &mb->queues[CO4__SENDERS];
    if (!x)
        return &mb->queues[CO4__RECEIVERS];
    struct co4__wait_queue *all[] = { &x->urgent_waiters, &x->aside[0], &x->aside[1], &x->aside[2],
                                      &x->counters };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (co4__list_ends_with(&all[i]->waiters, w))
            return all[i];
    return &mb->queues[CO4__RECEIVERS];
}

void co4__mailbox_node_leaves(co4_mailbox *mb, struct co4__waiter *w)
{
    if (co4__waits_for(w) == CO4__WAIT_URGENT && !co4__listener_of(w)->ops->look)
        mb->extension->urgent_waiting--;
    co4__wait_queue_remove(list_of(mb, w), w);
}

void co4__mailbox_node_drop(co4_mailbox *mb, co4_listener *l)
{
    if (!co4__listener_is_queued(l)) /* the mailbox may have been freed */
        return;
    co4__lock_take(&mb->queues[0].lock);
    if (co4__listener_is_queued(l))
        co4__mailbox_node_leaves(mb, co4__waiter_of(l));
    co4__lock_give(&mb->queues[0].lock);
}

bool co4__mailbox_clear(co4_mailbox *mb)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (!co4__wait_queue_clear(&mb->queues[CO4__RECEIVERS]) ||
        !co4__wait_queue_clear(&mb->queues[CO4__SENDERS]))
        return false;
    return !x ||
           (!x->urgent_waiters.waiters.head && !x->counters.waiters.head &&
            !x->aside[0].waiters.head && !x->aside[1].waiters.head && !x->aside[2].waiters.head);
}
