/* mailbox_serve.c - serving the waiters of a mailbox: the oldest message goes to a receiver, a free
 * place to a sender.
 *
 * Concurrency: a select that another source has served stays queued until its task resumes, or a
 * walk removes it. A thread yields the lock after it has passed CO4__BATCH of these, or has served
 * as many waiters. Then it looks at everything again. Other operations may find waiters that such a
 * thread has still to serve. They serve them first (catch_up), so the invariants hold for each
 * queued task. Model: tests/model/rest.pml. */
#include "sync/mailbox_serve.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/look.h"
#include "sync/mailbox.h"
#include "sync/mailbox_extension.h"
#include "sync/mailbox_lists.h"
#include "sync/mailbox_memory.h"
#include "sync/mailbox_order.h"
#include "sync/messages.h"

CO4__NOINLINE int co4__mailbox_offer_to(co4_mailbox *mb, struct co4__waiter *w, const void *msg,
                                        struct co4__met *met)
{
    co4_listener *l = co4__listener_of(w);
    unsigned kind = co4__waits_for(w);
    bool receives = kind == CO4__WAIT_RECEIVE;
    const void *value = receives ? msg : NULL;
    int took;
    if (!met || !l->ops->look) {
        took = co4_listener_offer(l, CO4_OK, value);
    } else if (l->co4_private.mark == CO4__LISTENER_ANSWERED && co4__acquire_kept(l, value)) {
        l->ops->complete(l, CO4_OK, value);
        took = 1;
    } else {
        took = mb->capacity == 0 ? co4__offer_counted(l, CO4_OK, value, &mb->extension->notified,
                                                      co4__mailbox_notified)
                                 : co4__offer_holding(l, receives ? co4__mailbox_receive_held
                                                                  : co4__mailbox_send_held);
    }
    if (took == 1)
        return took;
    if (took == CO4__NOTIFIED && mb->capacity > 0 && l->co4_private.mark == CO4__LISTENER_HOLDS)
        mb->slow |= (uint8_t)co4__held_for(kind);
    co4__mailbox_node_leaves(mb, w);
    if (took == CO4__NOTIFIED)
        co4__list_push(met->woken, w);
    return took;
}

/* Returns the first waiting sender of an urgent message, removed from its queue. NULL: there is
 * none, or met->many. */
static struct co4__waiter *serve_urgent(co4_mailbox *mb, struct co4__met *met)
{
    unsigned passed = 0;
    for (struct co4__waiter *w = mb->extension->urgent_waiters.waiters.head, *next; w; w = next) {
        next = w->next;
        if (mb->slow & CO4__HELD_SEND)
            return NULL;
        if (co4__mailbox_offer_to(mb, w, NULL, met) != 1) {
            if (co4__passed_many(mb, &passed, met))
                return NULL;
            continue;
        }
        const void *msg = w->result.wait.buffer;
        co4__mailbox_node_leaves(mb, w);
        co4__mailbox_push_urgent(mb, msg);
        w->next = NULL;
        return w;
    }
    return NULL;
}

/* Yields the lock if the walk has met many. True: the caller repeats the walk. */
bool co4__mailbox_yields(co4_mailbox *mb, struct co4__met *met)
{
    bool many = met->many;
    met->many = false;
    if (many)
        co4__wait_queue_yield(&mb->queues[0]);
    return many;
}

bool co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *woken)
{
    struct co4__met met = { woken, false };
    struct co4__waiter *w;
    do {
        while (co4__mailbox_lacks_room(mb))
            if (!co4__mailbox_make_room(mb))
                return false;
        if (co4__mailbox_count(mb) == mb->capacity)
            return false;
        w = mb->extension ? serve_urgent(mb, &met) : NULL;
        if (!w && !met.many)
            w = co4__mailbox_serve(mb, CO4__WAIT_SEND, co4__from_sender, NULL, &met);
    } while (!w && co4__mailbox_yields(mb, &met));
    if (w)
        co4__list_push(woken, w);
    return w != NULL;
}

/* The mailbox is closed: removes a waiter from this queue, and adds it to `woken` if that ends its
 * wait. False: it waits on, or has been claimed elsewhere. */
static bool end_wait(co4_mailbox *mb, struct co4__wait_queue *list, struct co4__waiter *w,
                     struct co4__list *woken)
{
    unsigned kind = co4__waits_for(w);
    if (kind == CO4__WAIT_MARK || (kind == CO4__WAIT_RECEIVE && mb->ring.count > 0))
        return false; /* a mark, or a receiver that has refused the oldest message */
    if (w->kind == CO4__WAITER_LISTENER) {
        bool wants = co4_listener_offer(co4__listener_of(w), CO4_ECLOSED, NULL);
        co4__mailbox_node_leaves(mb, w);
        if (!wants)
            return true;
    } else if (co4__take(list, w)) {
        w->result.i = CO4_ECLOSED;
    } else {
        return false;
    }
    co4__list_push(woken, w);
    return true;
}

/* Ends the waits of all waiters in a queue. */
static void end_list(co4_mailbox *mb, struct co4__wait_queue *list, struct co4__list *woken)
{
    unsigned taken = 0;
    for (struct co4__waiter *w = list->waiters.head, *next; w; w = next) {
        next = w->next;
        if (end_wait(mb, list, w, woken) && co4__wait_queue_may_yield(&mb->queues[0], &taken))
            next = list->waiters.head;
    }
}

void co4__mailbox_end_waits(co4_mailbox *mb, struct co4__list *woken)
{
    struct co4__mailbox_extension *x = mb->extension;
    end_list(mb, co4__mailbox_queue(mb, CO4__WAIT_SEND), woken);
    if (mb->ring.count == 0)
        end_list(mb, co4__mailbox_queue(mb, CO4__WAIT_RECEIVE), woken);
    if (x) {
        end_list(mb, co4__mailbox_aside(mb, CO4__WAIT_SEND), woken);
        end_list(mb, co4__mailbox_aside(mb, CO4__WAIT_URGENT), woken);
        end_list(mb, &x->urgent_waiters, woken);
        end_list(mb, &x->counters, woken);
    }
}

/* Offers the places that gaps have left to senders. True: a message has been added. */
static bool let_in_owed(co4_mailbox *mb, struct co4__list *woken)
{
    bool came = false;
    while (mb->extension && mb->extension->owed > 0) {
        mb->extension->owed--;
        if (co4__mailbox_let_in(mb, woken))
            came = true;
        else
            mb->extension->owed = 0;
    }
    return came;
}

/* Gives the oldest message to a receiver. */
static bool serve_receiver(co4_mailbox *mb, struct co4__list *woken)
{
    struct co4__met met = { woken, false };
    struct co4__waiter *w;
    do
        w = mb->ring.count > 0 ? co4__mailbox_serve(mb, CO4__WAIT_RECEIVE, co4__to_receiver,
                                                    co4__messages_slot(&mb->ring, 0), &met)
                               : NULL;
    while (!w && co4__mailbox_yields(mb, &met));
    if (!w)
        return false;
    co4__list_push(woken, w);
    co4__messages_drop(&mb->ring);
    co4__mailbox_oldest_gone(mb);
    return true;
}

void co4__mailbox_offer(co4_mailbox *mb, struct co4__list *woken)
{
    unsigned taken = 0;
    bool came = let_in_owed(mb, woken);
    while (serve_receiver(mb, woken)) {
        came = co4__mailbox_let_in(mb, woken) || came;
        came = let_in_owed(mb, woken) || came;
        co4__wait_queue_may_yield(&mb->queues[0], &taken);
    }
    if (came && mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    if (mb->ring.count == 0 && mb->closed)
        co4__mailbox_end_waits(mb, woken);
}

/* A place has become free. */
static void place_freed(co4_mailbox *mb, bool was_full, struct co4__list *woken)
{
    bool came = co4__mailbox_let_in(mb, woken);
    if (mb->extension)
        co4__mailbox_offer(mb, woken);
    came = let_in_owed(mb, woken) || came;
    if (came && mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    if (was_full && co4__mailbox_count(mb) < mb->capacity)
        co4__mailbox_tell(mb, CO4_MAILBOX_SPACE, woken);
}

/* Called after the oldest message was removed, if there are waiters or the mailbox is `slow`. May
 * release the lock at its end. */
void co4__mailbox_room_made(co4_mailbox *mb, struct co4__list *woken)
{
    bool was_full = co4__mailbox_count(mb) + 1 == mb->capacity;
    co4__mailbox_oldest_gone(mb);
    place_freed(mb, was_full, woken);
    co4__mailbox_moved_on(mb);
}

/* Does the work that threads which yield the lock have still to do: receivers get the messages that
 * are there, senders the places. True: the caller looks again. False: there was nothing to do, or
 * no memory for it. */
static bool catch_up(co4_mailbox *mb, struct co4__list *woken)
{
    if (mb->capacity == 0)
        return false;
    if (co4__mailbox_receiver_late(mb)) {
        co4__mailbox_offer(mb, woken);
        return true;
    }
    if (co4__mailbox_count(mb) == mb->capacity || !co4__mailbox_sender_late(mb))
        return false;
    bool in = co4__mailbox_let_in(mb, woken);
    if (in)
        co4__mailbox_came(mb, woken);
    return in || !co4__mailbox_lacks_room(mb);
}

bool co4__mailbox_readies_send(co4_mailbox *mb, struct co4__list *woken)
{
    return catch_up(mb, woken) || (co4__mailbox_lacks_room(mb) &&
                                   (co4__mailbox_make_room(mb) || !co4__mailbox_lacks_room(mb)));
}

bool co4__mailbox_readies_receive(co4_mailbox *mb, struct co4__list *woken)
{
    return mb->ring.count == 0 && (catch_up(mb, woken) || mb->ring.count > 0);
}

static int receive_oldest(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    co4__message_copy(out, co4__messages_slot(&mb->ring, 0), mb->ring.elem_size);
    co4__mailbox_pop(mb, woken);
    return CO4_OK;
}

/* There is no message. Receives from a waiting sender, at a rendezvous or when one was served
 * late. */
static int receive_directly(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    struct co4__met met = { woken, false };
    struct co4__waiter *sender = NULL;
    while (co4__mailbox_readies_receive(mb, woken))
        ;
    if (mb->ring.count > 0)
        return receive_oldest(mb, out, woken);
    if (mb->capacity == 0)
        do
            sender = co4__mailbox_serve(mb, CO4__WAIT_SEND, co4__to_receiver_from_sender, out,
                                        &met);
        while (!sender && co4__mailbox_yields(mb, &met));
    if (sender)
        co4__list_push(woken, sender);
    return sender ? CO4_OK : mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
}

void co4__mailbox_push(co4_mailbox *mb, const void *msg)
{
    co4__messages_push(&mb->ring, msg);
}

const void *co4__mailbox_oldest(co4_mailbox *mb)
{
    return co4__messages_slot(&mb->ring, 0);
}

void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken)
{
    co4__messages_drop(&mb->ring);
    if (co4__mailbox_wants_room(mb))
        co4__mailbox_room_made(mb, woken);
}

int co4__mailbox_receive_now(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    return mb->ring.count == 0 ? receive_directly(mb, out, woken) : receive_oldest(mb, out, woken);
}

void co4__mailbox_close_gap(co4_mailbox *mb, struct co4__list *woken)
{
    bool was_full = co4__mailbox_count(mb) == mb->capacity;
    if (!co4__mailbox_move_gap(mb))
        return;
    co4__mailbox_ask_of_room(mb);
    place_freed(mb, was_full, woken);
}

void co4__mailbox_remove(co4_mailbox *mb, uint32_t i, struct co4__list *woken)
{
    if (i == 0) {
        co4__mailbox_pop(mb, woken);
        return;
    }
    co4__mailbox_begin_gap(mb, i);
    co4__mailbox_close_gap(mb, woken);
}

void co4__mailbox_receive_held(co4_listener *l)
{
    co4_mailbox *mb = co4__mailbox_of(l);
    co4__lock_take(&mb->queues[0].lock);
    struct co4__list woken = { NULL, NULL };
    mb->slow &= (uint8_t)~CO4__HELD_RECEIVE;
    co4__mailbox_offer(mb, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
}

void co4__mailbox_send_held(co4_listener *l)
{
    co4_mailbox *mb = co4__mailbox_of(l);
    co4__lock_take(&mb->queues[0].lock);
    mb->slow &= (uint8_t)~CO4__HELD_SEND;
    co4__mailbox_let_all_in(mb, false);
}

/* Called under the lock, which it may release for a moment. False: no sender waits for a place, or
 * there is no place. */
static bool let_one_in(co4_mailbox *mb, struct co4__list *woken)
{
    if (!co4__mailbox_let_in(mb, woken))
        return false;
    if (mb->extension)
        co4__mailbox_offer(mb, woken); /* receivers may wait, too, where places are held back */
    if (mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    return true;
}

void co4__mailbox_let_all_in(co4_mailbox *mb, bool was_full)
{
    struct co4__list woken = { NULL, NULL };
    unsigned taken = 0;
    while (let_one_in(mb, &woken))
        co4__wait_queue_may_yield(&mb->queues[0], &taken);
    if (was_full && co4__mailbox_count(mb) < mb->capacity)
        co4__mailbox_tell(mb, CO4_MAILBOX_SPACE, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
}
