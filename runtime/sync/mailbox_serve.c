/* mailbox_serve.c - the slow path of mailboxes: their memory, and serving all kinds of waiters.
 *
 * Invariants, under the lock: receivers wait only while the ring is empty, senders only while it is
 * full. So the wait queue holds one kind, first come first served, apart from waiters that another
 * thread has claimed (wait.c). A mailbox of capacity 0, a rendezvous channel, is both empty and
 * full: only one side waits, and an operation of the other takes from it or gives to it. A waiter's
 * buffer is valid while it is queued. A closed mailbox has no waiters.
 *
 * Exceptions: a listener below a map or a filter looks before it takes (source.h), and may refuse.
 * So it waits although there is a message, or a place. A thread that serves many waiters yields the
 * lock meanwhile. In both cases co4__mailbox_settle() restores the invariants.
 *
 * Hand-over: a send that finds a waiting receiver copies the message into its buffer. A receive
 * that makes room moves the first waiting sender's message into the ring. So a woken task has its
 * result, and takes no lock. The claimer wakes it after unlocking. Models: mailbox, rest. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/mailbox.h"

#define SMALL_RING 256 /* bytes */

/* ---- memory ---- */

/* The ring starts empty and doubles up to the capacity. So a mailbox that only hands over messages
 * never has a ring, and a million mailboxes do not cost a million rings of 300. The messages in it
 * move a few at a time (messages.c), some with each operation of the slow path. */

/* Moves some messages into new memory, or frees the old memory; releases the lock for that. */
static void move_on(co4_mailbox *mb)
{
    if (!(mb->slow & CO4__SLOW_MOVES) || co4__messages_move(&mb->ring))
        return;
    void *old = co4__messages_old(&mb->ring);
    mb->slow &= (uint8_t)~CO4__SLOW_MOVES;
    co4__wait_queue_unlock(&mb->queues[0]);
    co4__free(old);
    co4__wait_queue_relock(&mb->queues[0]);
}

/* Lets the ring grow to `room` messages, and releases the lock meanwhile. False: out of memory.
 * True: the caller looks at everything again. */
static CO4__NOINLINE bool grow(co4_mailbox *mb, uint32_t room)
{
    for (; mb->slow & CO4__SLOW_MOVES; move_on(mb))
        co4__wait_queue_yield(&mb->queues[0]);
    struct co4__messages *ring = &mb->ring;
    bool empty = ring->room == 0;
    co4__wait_queue_unlock(&mb->queues[0]);
    void *slots = co4__messages_alloc(ring->elem_size, room, empty), *unused = slots;
    co4__wait_queue_relock(&mb->queues[0]);
    if (slots && empty == (ring->room == 0) && !(mb->slow & CO4__SLOW_MOVES) && room > ring->room &&
        co4__messages_move_to(ring, slots, room, &unused)) {
        mb->slow |= CO4__SLOW_MOVES;
        unused = NULL;
    }
    if (unused) {
        co4__wait_queue_unlock(&mb->queues[0]);
        co4__free(unused);
        co4__wait_queue_relock(&mb->queues[0]);
    }
    return slots;
}

/* The ring is full, the mailbox is not. The first room is all of a small mailbox, a few elements of
 * a large one. As grow(). */
static bool make_room(co4_mailbox *mb)
{
    uint64_t bytes = (uint64_t)mb->capacity * mb->ring.elem_size;
    uint32_t room = mb->ring.room > 0 ? 2 * mb->ring.room : bytes <= SMALL_RING ? mb->capacity : 4;
    return grow(mb, room < mb->capacity ? room : mb->capacity);
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    bool ok = true;
    uint32_t room = count < mb->capacity ? (uint32_t)count : mb->capacity;
    co4__lock_take(&mb->queues[0].lock);
    while (ok && mb->ring.room < room)
        ok = grow(mb, room);
    co4__lock_give(&mb->queues[0].lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}

/* ---- waiters ---- */

enum served {
    NOBODY, /* no waiter can be served */
    SERVED, /* one has been */
    AGAIN,  /* the caller looks again: one was notified, or the lock was released */
};

static void copy_message(const co4_mailbox *mb, void *to, const void *from)
{
    co4__message_copy(to, from, mb->ring.elem_size);
}

/* Ends the notification of a listener: it has looked, or will not. Others may be served now. */
static void has_looked(co4_listener *l, enum co4__side side)
{
    co4_mailbox *mb = co4__waiter_of(l)->result.wait.where;
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&mb->queues[0].lock);
    mb->notified[side]--;
    co4__mailbox_settle(mb, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
}

static void receiver_has_looked(co4_listener *l)
{
    has_looked(l, CO4__RECEIVERS);
}

static void sender_has_looked(co4_listener *l)
{
    has_looked(l, CO4__SENDERS);
}

bool co4__mailbox_notify(co4_mailbox *mb, enum co4__side side, struct co4__waiter *w,
                         struct co4__list *woken)
{
    uint32_t *notified = &mb->notified[side], before = *notified;
    bool took = co4__offer_counted(co4__listener_of(w), CO4_OK, NULL, notified,
                                   side == CO4__RECEIVERS ? receiver_has_looked
                                                          : sender_has_looked) != 0;
    co4__wait_queue_remove(&mb->queues[side], w);
    if (took)
        co4__list_push(woken, w);
    return *notified != before;
}

/* Serves the first waiter of this side that is not claimed, and pushes it to `woken`. A receiver
 * gets the message `data`, a sender's message goes there. A listener that wants nothing any more
 * leaves the queue. A listener that looks is notified, unless it has refused what is there: then
 * all behind it have. */
static enum served serve(co4_mailbox *mb, enum co4__side side, void *data, struct co4__list *woken)
{
    struct co4__wait_queue *queue = &mb->queues[side];
    const void *value = side == CO4__RECEIVERS ? data : NULL;
    unsigned gone = 0;
    for (struct co4__waiter *w = queue->waiters.head, *next; w; w = next) {
        next = w->next;
        if (co4__waits_for(w) != co4__kind_of_side(side))
            continue; /* claimed elsewhere, or a mark */
        void *buffer = w->result.wait.buffer;
        co4_listener *l = w->kind == CO4__WAITER_LISTENER ? co4__listener_of(w) : NULL;
        if (l ? co4__offer_kept(l, value) : co4__take(queue, w)) {
            if (side == CO4__SENDERS)
                copy_message(mb, data, buffer);
            else if (!l)
                copy_message(mb, buffer, data);
            if (l)
                co4__wait_queue_remove(queue, w);
            w->result.i = CO4_OK;
            co4__list_push(woken, w);
            return SERVED;
        }
        if (!l)
            continue;
        if (!l->ops->look)
            co4__wait_queue_remove(queue, w);
        else if (mb->capacity > 0 && co4__has_refused(l, mb->taken))
            return NOBODY;
        else if (co4__mailbox_notify(mb, side, w, woken) && mb->capacity > 0)
            return AGAIN;
        if (co4__wait_queue_may_yield(&mb->queues[0], &gone))
            return AGAIN;
    }
    return NOBODY;
}

/* The mailbox is closed: ends the waits of one side. */
static void end_waits(co4_mailbox *mb, enum co4__side side, struct co4__list *woken)
{
    struct co4__wait_queue *queue = &mb->queues[side];
    unsigned taken = 0;
    for (struct co4__waiter *w = queue->waiters.head, *next; w; w = next) {
        next = w->next;
        bool ours = co4__waits_for(w) == co4__kind_of_side(side);
        if (ours && w->kind == CO4__WAITER_LISTENER) {
            bool wants = co4_listener_offer(co4__listener_of(w), CO4_ECLOSED, NULL);
            co4__wait_queue_remove(queue, w);
            if (wants)
                co4__list_push(woken, w);
        } else if (ours && (ours = co4__take(queue, w))) {
            w->result.i = CO4_ECLOSED;
            co4__list_push(woken, w);
        }
        if (ours && co4__wait_queue_may_yield(&mb->queues[0], &taken))
            next = queue->waiters.head;
    }
}

static void drop_oldest(co4_mailbox *mb)
{
    co4__messages_drop(&mb->ring);
    mb->taken++;
    if (mb->slow & CO4__SLOW_MOVES)
        co4__messages_move(&mb->ring);
}

static enum served serve_receiver(co4_mailbox *mb, struct co4__list *woken)
{
    if (!mb->queues[CO4__RECEIVERS].waiters.head || mb->ring.count <= mb->notified[CO4__RECEIVERS])
        return NOBODY;
    enum served s = serve(mb, CO4__RECEIVERS, co4__messages_slot(&mb->ring, 0), woken);
    if (s == SERVED)
        drop_oldest(mb);
    return s;
}

/* If there is no memory for its message, a sender waits until the next message is taken out. */
static enum served serve_sender(co4_mailbox *mb, struct co4__list *woken)
{
    if (!mb->queues[CO4__SENDERS].waiters.head || mb->closed ||
        mb->capacity - mb->ring.count <= mb->notified[CO4__SENDERS])
        return NOBODY;
    if (mb->ring.count == mb->ring.room)
        return make_room(mb) ? AGAIN : NOBODY;
    enum served s = serve(mb, CO4__SENDERS, co4__messages_slot(&mb->ring, mb->ring.count), woken);
    mb->ring.count += s == SERVED;
    return s;
}

void co4__mailbox_settle(co4_mailbox *mb, struct co4__list *woken)
{
    unsigned served = 0;
    move_on(mb);
    for (enum served s = SERVED; s != NOBODY && mb->capacity > 0;) {
        s = serve_receiver(mb, woken);
        if (s == NOBODY)
            s = serve_sender(mb, woken);
        if (s == SERVED)
            co4__wait_queue_may_yield(&mb->queues[0], &served);
    }
    if (mb->closed)
        end_waits(mb, CO4__SENDERS, woken);
    if (mb->closed && mb->ring.count == 0)
        end_waits(mb, CO4__RECEIVERS, woken);
}

void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken)
{
    drop_oldest(mb);
    co4__mailbox_settle(mb, woken);
}

int co4__mailbox_ready_to_send(co4_mailbox *mb, struct co4__list *woken)
{
    co4__mailbox_settle(mb, woken);
    for (;;) {
        if (mb->closed)
            return CO4_ECLOSED;
        if (mb->ring.count == mb->capacity)
            return CO4_EFULL;
        if (mb->ring.count < mb->ring.room)
            return CO4_OK;
        if (!make_room(mb))
            return CO4_ENOMEM;
    }
}

/* ---- one attempt in the slow path ---- */

/* Returns whether a message is given to a receiver without the ring. */
static bool is_direct(const co4_mailbox *mb)
{
    return mb->capacity == 0 || (mb->ring.count == 0 && mb->notified[CO4__RECEIVERS] == 0);
}

int co4__mailbox_send_slow(co4_mailbox *mb, const void *msg, struct co4__waiter **wake)
{
    struct co4__list woken = { NULL, NULL };
    enum served s = AGAIN;
    while (s == AGAIN && !mb->closed)
        s = is_direct(mb) ? serve(mb, CO4__RECEIVERS, (void *)(uintptr_t)msg, &woken) : NOBODY;
    int err = s == SERVED ? CO4_OK : co4__mailbox_ready_to_send(mb, &woken);
    if (err == CO4_OK && s != SERVED) {
        co4__messages_push(&mb->ring, msg);
        co4__mailbox_settle(mb, &woken);
    }
    *wake = woken.head;
    return err;
}

int co4__mailbox_receive_slow(co4_mailbox *mb, void *out, struct co4__waiter **wake)
{
    struct co4__list woken = { NULL, NULL };
    enum served s = AGAIN;
    co4__mailbox_settle(mb, &woken);
    if (mb->ring.count > 0) {
        copy_message(mb, out, co4__messages_slot(&mb->ring, 0));
        co4__mailbox_pop(mb, &woken);
        s = SERVED;
    }
    while (s == AGAIN)
        s = mb->capacity == 0 ? serve(mb, CO4__SENDERS, out, &woken) : NOBODY;
    *wake = woken.head;
    return s == SERVED ? CO4_OK : mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
}
