/* mailbox_serve.h - serving the waiters of a mailbox. */
#ifndef CO4_MAILBOX_SERVE_INTERNAL_H
#define CO4_MAILBOX_SERVE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "core/wait.h"
#include "sync/mailbox.h"
#include "sync/mailbox_lists.h"
#include "sync/messages.h"

/* All functions are called under the lock, which each may release for a moment. The caller wakes
 * the tasks of `woken` after it has released the lock. */

static inline unsigned co4__held_for(unsigned kind)
{
    return kind == CO4__WAIT_RECEIVE ? CO4__HELD_RECEIVE : CO4__HELD_SEND;
}

/* Results of a walk. `woken`: notified listeners go there. `many`: the walk has passed many
 * listeners that want nothing any more, so it yields the lock before it goes on. */
struct co4__met {
    struct co4__list *woken;
    bool many;
};

/* Offers to a listener; `msg` is for a receiver. A notified listener moves from its queue to
 * met->woken. The message or place is held back for it, except at a rendezvous, where others go on
 * without it. A listener that wants nothing any more leaves its queue as well. Returns 1 if the
 * listener has been served; then it is still queued. */
int co4__mailbox_offer_to(co4_mailbox *mb, struct co4__waiter *w, const void *msg,
                          struct co4__met *met);

/* A walk has passed one more listener that wants nothing. True: the walk ends for now. */
static inline bool co4__passed_many(co4_mailbox *mb, unsigned *passed, struct co4__met *met)
{
    if (++*passed < CO4__BATCH)
        return false;
    mb->slow |= CO4__SLOW;
    if (met)
        met->many = true;
    return true;
}

/* Returns the first waiter of this kind that is not claimed. The waiter has left the queue, has its
 * result, and its `next` is NULL; the caller owns the wake. Returns NULL if there is none, if
 * met->many, or, without `met`, if the mailbox has become `slow`. `move` copies the message while
 * the waiter's buffer is valid; a receiving listener has copied it itself. `met` is NULL if the
 * mailbox is not `slow`, so no listener looks. */
static inline struct co4__waiter *co4__mailbox_serve(co4_mailbox *mb, unsigned kind,
                                                     void (*move)(co4_mailbox *mb, void *buffer,
                                                                  const void *msg),
                                                     const void *msg, struct co4__met *met)
{
    if (met && (mb->slow & co4__held_for(kind)))
        return NULL;
    struct co4__wait_queue *list = co4__mailbox_queue(mb, kind);
    unsigned passed = 0;
    for (struct co4__waiter *w = list->waiters.head, *next; w; w = next) {
        next = w->next;
        unsigned what = co4__waits_for(w);
        if (what != kind)
            continue; /* claimed elsewhere, or a mark */
        if (CO4__UNLIKELY(w->kind == CO4__WAITER_LISTENER)) {
            if (co4__mailbox_offer_to(mb, w, msg, met) != 1) {
                if ((met && (mb->slow & co4__held_for(kind))) || co4__passed_many(mb, &passed, met))
                    return NULL;
                continue;
            }
            if (kind != CO4__WAIT_RECEIVE)
                move(mb, w->result.wait.buffer, msg);
            co4__wait_queue_remove(list, w);
            w->next = NULL;
            return w;
        }
        if (!co4__take(list, w))
            continue;
        move(mb, w->result.wait.buffer, msg);
        w->result.i = CO4_OK;
        w->next = NULL;
        return w;
    }
    return NULL;
}

static inline void co4__to_receiver(co4_mailbox *mb, void *buffer, const void *msg)
{
    co4__message_copy(buffer, msg, mb->ring.elem_size);
}

static inline void co4__to_receiver_from_sender(co4_mailbox *mb, void *buffer, const void *out)
{
    co4__message_copy((void *)(uintptr_t)out, buffer, mb->ring.elem_size);
}

static inline void co4__from_sender(co4_mailbox *mb, void *buffer, const void *msg)
{
    (void)msg;
    co4__messages_push(&mb->ring, buffer);
}

static inline bool co4__mailbox_wants_room(const co4_mailbox *mb)
{
    /* One branch for both conditions. */
    return ((uintptr_t)mb->queues[CO4__SENDERS].waiters.head | mb->slow) != 0;
}

/* Yields the lock if the walk has met many. True: the caller repeats the walk. */
bool co4__mailbox_yields(co4_mailbox *mb, struct co4__met *met);
/* Adds a message to the ring without serving a waiter. There is a place, and memory for it. */
void co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* Another message is the oldest, or there is none: offers it to receivers, its place to senders,
 * and so on. May release the lock. */
void co4__mailbox_offer(co4_mailbox *mb, struct co4__list *woken);
/* Returns the oldest message, which exists. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* The caller has copied the oldest message: removes it, and lets a waiting sender's in. May release
 * the lock after that. */
void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken);
/* One attempt to receive: CO4_OK, CO4_EEMPTY, CO4_ECLOSED. May release the lock after that. */
int co4__mailbox_receive_now(co4_mailbox *mb, void *out, struct co4__list *woken);
/* Removes the i-th oldest message: the oldest like pop; any other leaves a gap. There is no gap
 * yet, and the extension exists. */
void co4__mailbox_remove(co4_mailbox *mb, uint32_t i, struct co4__list *woken);
/* Moves the gap, which exists, some way towards the head, or closes it. */
void co4__mailbox_close_gap(co4_mailbox *mb, struct co4__list *woken);
/* Moves a waiting sender's message into the ring, if there is a place. False: no sender waits, all
 * that wait have been notified, or there is no memory. In the last case they wait until the next
 * receive makes a place. May release the lock before. */
bool co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *woken);
/* The last look before a send, and before a receive finds no message. Serves waiters that a thread
 * which yields the lock has still to serve, and gets memory. True: the lock may have been released,
 * so the caller looks again at everything. False: the lock was held throughout; or there is a place
 * and no memory for it. */
bool co4__mailbox_readies_send(co4_mailbox *mb, struct co4__list *woken);
bool co4__mailbox_readies_receive(co4_mailbox *mb, struct co4__list *woken);
/* Places have become free: lets in as many senders as fit. Releases the lock. */
void co4__mailbox_let_all_in(co4_mailbox *mb, bool was_full);
/* Called after the oldest message was removed, if there are waiters or the mailbox is `slow`. In a
 * full mailbox without an extension, these waiters are senders. */
void co4__mailbox_room_made(co4_mailbox *mb, struct co4__list *woken);
/* The mailbox is closed: ends all waits that cannot succeed any more. */
void co4__mailbox_end_waits(co4_mailbox *mb, struct co4__list *woken);

/* End the holds of a mailbox. Each takes the lock. */
void co4__mailbox_receive_held(co4_listener *l);
void co4__mailbox_send_held(co4_listener *l);

#endif
