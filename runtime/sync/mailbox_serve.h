/* mailbox_serve.h - those that wait at a mailbox are served. */
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

/* All under the lock, which each may let go for a moment. The caller wakes the tasks of `woken`
 * when it has given the lock up. */

static inline unsigned co4__held_for(unsigned kind)
{
    return kind == CO4__WAIT_RECEIVE ? CO4__HELD_GET : CO4__HELD_PUT;
}

/* What a walk has met: listeners that are to look, which go to `woken`; and so many that want
 * nothing any more that others are to have the lock before it is gone on with. */
struct co4__met {
    struct co4__list *woken;
    bool many;
};

/* `msg`: for one that receives. One that is told goes from its list to met->woken. What it is told
 * of is held back for it; but at a rendezvous, where the others go on without it. One that wants
 * nothing any more leaves its list as well. 1: it has been served, and stands there still. */
int co4__mailbox_offer_to(co4_mailbox *mb, co4_task *t, const void *msg, struct co4__met *met);

/* A walk has passed one more that wants nothing. True: it is to end for now. */
static inline bool co4__passed_many(co4_mailbox *mb, unsigned *passed, struct co4__met *met)
{
    if (++*passed < CO4__BATCH)
        return false;
    mb->slow |= CO4__SLOW;
    if (met)
        met->many = true;
    return true;
}

/* The first of this kind that is not claimed; off the list with its result, its `next` NULL, and
 * the caller owns the wake. NULL: there is none, or met->many; or, with no `met`, the mailbox is
 * `slow` now. `move` copies its message while its buffer is still there; a listener that receives
 * has copied it itself. `met`: NULL if the mailbox is not `slow`, so no listener looks. */
static inline co4_task *co4__mailbox_serve(co4_mailbox *mb, unsigned kind,
                                           void (*move)(co4_mailbox *mb, void *buffer,
                                                        const void *msg),
                                           const void *msg, struct co4__met *met)
{
    if (met && (mb->slow & co4__held_for(kind)))
        return NULL;
    struct co4__wait_queue *list = met ? co4__mailbox_list(mb, kind) : &mb->wait_queue;
    unsigned passed = 0;
    for (co4_task *t = list->waiters.head, *next; t; t = next) {
        next = t->next;
        unsigned what = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
        if (what != kind) {
            if (co4__mailbox_none_behind(mb, what))
                return NULL;
            continue;
        }
        if (CO4__UNLIKELY(t->fiber.kind == CO4__KIND_LISTENER)) {
            if (co4__mailbox_offer_to(mb, t, msg, met) != 1) {
                if ((met && (mb->slow & co4__held_for(kind))) || co4__passed_many(mb, &passed, met))
                    return NULL;
                continue;
            }
            if (kind != CO4__WAIT_RECEIVE)
                move(mb, co4__waiting(t)->buffer, msg);
            co4__node_remove(list, t);
            t->next = NULL;
            return t;
        }
        if (!co4__take(list, t))
            continue;
        move(mb, co4__waiting(t)->buffer, msg);
        t->fiber.result.i = CO4_OK;
        t->next = NULL;
        return t;
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
    /* One branch for both. */
    return ((uintptr_t)mb->wait_queue.waiters.head | mb->slow) != 0;
}

/* The thread rests if the walk has met many. True: it is to be done again. */
bool co4__mailbox_yields(co4_mailbox *mb, struct co4__met *met);
/* Into the ring, without a look at the waiters; there is a place, and memory for it. */
void co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* Another message is the oldest, or there is none: offers it to who waits for one, its place to who
 * waits for that, and so on. May let the lock go. */
void co4__mailbox_offer(co4_mailbox *mb, struct co4__list *woken);
/* The oldest message; there is one. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* It has been copied: takes it out, and a waiting sender's in. May let the lock go behind that. */
void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken);
/* One attempt: CO4_OK, CO4_EEMPTY, CO4_ECLOSED. Likewise. */
int co4__mailbox_get_now(co4_mailbox *mb, void *out, struct co4__list *woken);
/* Takes it out, as pop does, or leaves a gap, where there was none; `more` is there. */
void co4__mailbox_remove(co4_mailbox *mb, uint32_t i, struct co4__list *woken);
/* Moves the gap some way towards the head, or closes it; there is one. */
void co4__mailbox_close_gap(co4_mailbox *mb, struct co4__list *woken);
/* A waiting sender's message into the ring, where there is a place. False: none waits, or those
 * that do have been told, or there is no memory: then they wait on, and the next get makes a place.
 * May let the lock go before. */
bool co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *woken);
/* The last look before a message is put, and before a get finds nothing: waiters that a resting
 * thread has still to serve come first, and memory is had. True: the lock may have been let go, so
 * look again at everything. False: it was not; or there is a place and no memory for it. */
bool co4__mailbox_readies_put(co4_mailbox *mb, struct co4__list *woken);
bool co4__mailbox_readies_get(co4_mailbox *mb, struct co4__list *woken);
/* Places have come free: lets in all senders that can be. Gives the lock up. */
void co4__mailbox_let_all_in(co4_mailbox *mb, bool was_full);
/* The oldest message was taken out, and a task waits: if the mailbox was full, to send. Or there is
 * more. */
void co4__mailbox_room_made(co4_mailbox *mb, struct co4__list *woken);
/* It is closed: ends the waits of all that can get nothing any more. */
void co4__mailbox_end_waits(co4_mailbox *mb, struct co4__list *woken);

/* What ends the holds of a mailbox. Each takes the lock. */
void co4__mailbox_get_held(co4_listener *l);
void co4__mailbox_put_held(co4_listener *l);

#endif
