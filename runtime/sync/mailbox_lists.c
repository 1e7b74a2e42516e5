/* mailbox_lists.c - the wait queues of a mailbox.
 *
 * Purpose: usually all waiters of a mailbox wait for the same: for a message, as there is none, or
 * for a place, as there is none. Then they are in `wait_queue`. But a message may be held back for
 * a listener that looks at it (look.h), or a filter may refuse it. Then receivers wait although the
 * mailbox fills up, and senders join them. The kind that comes second is in `others`.
 *
 * Invariants: each queue holds one kind of waiters, so a walk for the first of a kind passes none
 * of the other. Only listeners that look cause a second kind; they create the extension first. A
 * task or thread stays in its queue. Listeners move with their queue: a removal needs the queue
 * only of a listener at an end of it, and the ends of the queues tell which one that is.
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

static unsigned kind_of(const co4_task *t)
{
    return atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
}

/* Returns CO4__WAIT_RECEIVE or CO4__WAIT_SEND; 0 if all tasks in the queue are claimed already. Few
 * claimed tasks are queued before the first unclaimed one (wait.c). */
static unsigned kind_in(const struct co4__wait_queue *p)
{
    for (const co4_task *t = p->waiters.head; t; t = t->next) {
        unsigned kind = kind_of(t);
        if (kind == CO4__WAIT_RECEIVE || kind == CO4__WAIT_SEND)
            return kind;
    }
    return 0;
}

bool co4__mailbox_sender_late(const co4_mailbox *mb)
{
    const struct co4__mailbox_extension *x = mb->extension;
    if (mb->slow & CO4__HELD_SEND)
        return false;
    return kind_in(&mb->wait_queue) == CO4__WAIT_SEND ||
           (x &&
            (x->urgent_waiters.waiters.head || kind_in(&x->others.wait_queue) == CO4__WAIT_SEND));
}

/* With an extension each kind has its own queue. Then such receivers are normal, and do not block
 * senders. */
bool co4__mailbox_receiver_late(const co4_mailbox *mb)
{
    return mb->ring.count > 0 && !mb->extension && kind_in(&mb->wait_queue) == CO4__WAIT_RECEIVE;
}

bool co4__mailbox_parts(co4_mailbox *mb, unsigned kind)
{
    unsigned first = kind_in(&mb->wait_queue);
    if (mb->extension || (mb->slow & CO4__SLOW_MIXED) || first == 0 || first == kind)
        return false;
    co4__lock_give(&mb->wait_queue.lock);
    int err = co4__mailbox_need_extension(mb);
    co4__lock_take(&mb->wait_queue.lock);
    if (err != CO4_OK)
        mb->slow |= CO4__SLOW_MIXED;
    return true;
}

struct co4__wait_queue *co4__mailbox_list(co4_mailbox *mb, unsigned kind)
{
    struct co4__mailbox_extension *x = mb->extension;
    unsigned first = kind_in(&mb->wait_queue);
    if (!x || (mb->slow & CO4__SLOW_MIXED) || first == kind ||
        (first == 0 && kind_in(&x->others.wait_queue) != kind))
        return &mb->wait_queue;
    return &x->others.wait_queue;
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
    ask_again(mb, CO4__WAIT_RECEIVE, co4__mailbox_list(mb, CO4__WAIT_RECEIVE));
}

void co4__mailbox_ask_of_room(co4_mailbox *mb)
{
    ask_again(mb, CO4__WAIT_SEND, co4__mailbox_list(mb, CO4__WAIT_SEND));
    ask_again(mb, CO4__WAIT_URGENT, &mb->extension->urgent_waiters);
}

static struct co4__wait_queue *list_of(co4_mailbox *mb, const co4_task *node)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (!x)
        return &mb->wait_queue;
    struct co4__wait_queue *all[] = { &x->others.wait_queue, &x->urgent_waiters, &x->aside[0],
                                      &x->aside[1],          &x->aside[2],       &x->counters };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (co4__list_ends_with(&all[i]->waiters, node))
            return all[i];
    return &mb->wait_queue;
}

void co4__mailbox_node_leaves(co4_mailbox *mb, co4_task *node)
{
    if (kind_of(node) == CO4__WAIT_URGENT && !co4__listener_of(node)->ops->look)
        mb->extension->urgent_waiting--;
    co4__node_remove(list_of(mb, node), node);
}

void co4__mailbox_node_drop(co4_mailbox *mb, co4_listener *l)
{
    if (!co4__node_is_queued(l)) /* the mailbox may have been freed */
        return;
    co4__lock_take(&mb->wait_queue.lock);
    if (co4__node_is_queued(l))
        co4__mailbox_node_leaves(mb, co4__node_of(l));
    co4__lock_give(&mb->wait_queue.lock);
}

bool co4__mailbox_clear(co4_mailbox *mb)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (!co4__wait_queue_clear(&mb->wait_queue))
        return false;
    return !x || (co4__wait_queue_clear(&x->others.wait_queue) && !x->urgent_waiters.waiters.head &&
                  !x->counters.waiters.head && !x->aside[0].waiters.head &&
                  !x->aside[1].waiters.head && !x->aside[2].waiters.head);
}
