/* mailbox_lists.c - the lists in which tasks and listeners wait at a mailbox.
 *
 * Mostly all that wait at a mailbox wait for the same: for a message, as there is none, or for a
 * place, as there is none. Then they stand in `place`. But a message may be held back for a
 * listener that is to look at it (look.h), and a filter may not want it: then receivers wait at a
 * mailbox that fills up, and senders come. Each list holds one kind, so the kind that comes second
 * is in `others`, and a look for the first of a kind passes by none of the other. Only
 * listeners that look lead to that, and they see to it first that `more` is there.
 *
 * Set aside. A listener that has looked at the oldest message, and does not want it, stands in
 * `aside` until another message is the oldest; then it waits behind those that waited meanwhile.
 * So each is asked about each message once. Were it among the others, two that refuse a message
 * would be told of it in turns, for ever. Those that do not want a place are treated alike, until
 * the next place comes free.
 *
 * A task or thread stays in its list. Listeners move with the list they are in, so the end of the
 * list that one stands at, if it does, tells which that is. */
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

/* CO4__WAIT_RECEIVE, CO4__WAIT_SEND, or 0: no task waits there but some that are claimed already.
 * Few of those are queued before the first that is not claimed: wait.c. */
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
    if (mb->slow & CO4__HELD_PUT)
        return false;
    return kind_in(&mb->wait_queue) == CO4__WAIT_SEND ||
           (x &&
            (x->urgent_waiters.waiters.head || kind_in(&x->others.wait_queue) == CO4__WAIT_SEND));
}

/* Where `more` is there, that is nothing to wonder at, and they do not stand in the way of senders:
 * each kind has its list. */
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

/* `more` is there. */
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
    if (!co4__node_is_queued(l)) /* the mailbox may be gone */
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
