/* mailbox.c - the way of a message: from a sender to a waiting receiver, or through the ring.
 *
 * Invariants, under the lock: receivers wait only while the ring is empty, senders only while it is
 * full. So one of the wait queues is empty, apart from waiters that another thread has claimed
 * (wait.c); the other is served first come first served. A mailbox of capacity 0, a rendezvous
 * channel, is both empty and full: only one side waits, and an operation of the other takes from it
 * or gives to it. A waiter's buffer is valid while it is queued. A closed mailbox has no waiters.
 *
 * Hand-over: a send that finds a waiting receiver copies the message into its buffer. A receive
 * that makes room moves the first waiting sender's message into the ring. So a woken task has its
 * result, and takes no lock. The claimer wakes it after unlocking. Models: mailbox, rest.
 *
 * Exceptions: a listener below a map or a filter looks before it takes (source.h), and may refuse.
 * So it waits although there is a message, or a place. A thread that serves many waiters yields the
 * lock meanwhile. In both cases co4__mailbox_settle() restores the invariants.
 *
 * The ring starts empty and doubles up to the capacity. So a mailbox that only hands over messages
 * never has a ring, and a million mailboxes do not cost a million rings of 300.
 *
 * Concurrency: the lock is held for the copy of a few elements. Order: mailbox, then timers. A
 * section (lock.h) does the common cases without the lock. Uncommon states set a bit of `slow`.
 *
 * Rejected: a lock-free ring (close, deadlines and waiters of both kinds need one decision over
 * messages and waiters); a single consumer; NULL for "empty"; rings from the frame pool (they mix
 * with frames of the same size: a second skynet ran 1.5 times as long). */
#include "sync/mailbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/blocker.h"
#include "core/caller.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

#define SMALL_RING 256 /* bytes */

/* ---- an attempt ---- */

/* An attempt is written once, and its mode (lock.h) is a constant. In a section it returns
 * NEEDS_LOCK for uncommon states. Then nothing was done, and the caller repeats it under the
 * lock. The waiters that it has served go to `woken`; in a section that is one task, which is not
 * linked. The caller wakes them after the section, or after it has released the lock. */
enum { NEEDS_LOCK = 1 };

static int send_slowly(co4_mailbox *mb, const void *msg, struct co4__list *woken);
static int receive_slowly(co4_mailbox *mb, void *out, struct co4__list *woken);

/* A compiler turns the common sizes into a few instructions. */
static CO4__ALWAYS_INLINE void copy_message(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

/* Adds a message for which there is memory; the size is in a register. */
static CO4__ALWAYS_INLINE void push_message(co4_mailbox *mb, const void *msg, uint32_t bytes)
{
    copy_message(co4__messages_slot(&mb->ring, mb->ring.count), msg, bytes);
    mb->ring.count++;
}

/* Claims the first waiter of this side, if that is a task without a deadline. NULL: it is another
 * waiter. */
static CO4__ALWAYS_INLINE struct co4__waiter *claim_first(co4_mailbox *mb, enum co4__side side,
                                                          struct co4__list *woken,
                                                          const enum co4__mode mode)
{
    struct co4__wait_queue *queue = &mb->queues[side];
    struct co4__waiter *w = queue->waiters.head;
    if (CO4__UNLIKELY(!co4__is_plain_waiter(w, co4__kind_of_side(side))))
        return NULL;
    if (mode == CO4__LOCKLESS) {
        co4__take_first(queue, w);
        woken->head = w;
        return w;
    }
    if (!co4__take(queue, w))
        return NULL;
    co4__list_push(woken, w);
    return w;
}

static CO4__ALWAYS_INLINE int send_now(co4_mailbox *mb, const void *msg, uint32_t bytes,
                                       struct co4__list *woken, const enum co4__mode mode)
{
    if (CO4__LIKELY(!mb->slow)) {
        if (mb->ring.count == 0 && mb->queues[CO4__RECEIVERS].waiters.head) {
            struct co4__waiter *w = claim_first(mb, CO4__RECEIVERS, woken, mode);
            if (w) {
                copy_message(w->result.wait.buffer, msg, bytes);
                w->result.i = CO4_OK;
                return CO4_OK;
            }
        } else if (mb->ring.count == mb->capacity) {
            return CO4_EFULL;
        } else if (CO4__LIKELY(mb->ring.count != mb->ring.room)) {
            push_message(mb, msg, bytes);
            return CO4_OK;
        }
    }
    return mode == CO4__LOCKED ? send_slowly(mb, msg, woken) : NEEDS_LOCK;
}

static CO4__ALWAYS_INLINE int receive_now(co4_mailbox *mb, void *out, uint32_t bytes,
                                          struct co4__list *woken, const enum co4__mode mode)
{
    if (CO4__LIKELY(!mb->slow)) {
        struct co4__waiter *w = NULL; /* a sender, for whose message this makes room */
        if (mb->ring.count == 0 && mb->capacity != 0)
            return CO4_EEMPTY;
        if (mb->ring.count != 0 && (!mb->queues[CO4__SENDERS].waiters.head ||
                                    (w = claim_first(mb, CO4__SENDERS, woken, mode)) != NULL)) {
            copy_message(out, co4__messages_slot(&mb->ring, 0), bytes);
            co4__messages_drop(&mb->ring);
            if (w) {
                push_message(mb, w->result.wait.buffer, bytes);
                w->result.i = CO4_OK;
            }
            return CO4_OK;
        }
    }
    return mode == CO4__LOCKED ? receive_slowly(mb, out, woken) : NEEDS_LOCK;
}

/* ---- waiters of all kinds ---- */

enum served {
    NOBODY, /* no waiter can be served */
    SERVED, /* one has been */
    AGAIN,  /* the caller looks again: one was notified, or the lock was released */
};

/* Ends the notification of a listener: it has looked, or will not. Others may be served now. */
static void listener_has_looked(co4_listener *l)
{
    struct co4__wait_queue *queue = co4__waiter_of(l)->result.wait.where;
    char *first = (char *)co4__wait_queue_first(queue);
    co4_mailbox *mb = (co4_mailbox *)(void *)(first - offsetof(co4_mailbox, queues));
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&mb->queues[0].lock);
    mb->notified[queue - mb->queues]--;
    co4__mailbox_settle(mb, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
}

bool co4__mailbox_notify(co4_mailbox *mb, enum co4__side side, struct co4__waiter *w,
                         struct co4__list *woken)
{
    uint32_t *notified = &mb->notified[side], before = *notified;
    bool took = co4__offer_counted(co4__listener_of(w), CO4_OK, NULL, notified,
                                   listener_has_looked) != 0;
    co4__wait_queue_remove(&mb->queues[side], w);
    if (took)
        co4__list_push(woken, w);
    return *notified != before;
}

/* Serves the first waiter of this side that is not claimed, and pushes it to `woken`. A receiver
 * gets the message `data`, a sender's message goes there. A listener that wants nothing any more
 * leaves the queue. A listener that looks is notified, unless it has refused what is there: then
 * all behind it have. */
static enum served serve_side(co4_mailbox *mb, enum co4__side side, void *data,
                              struct co4__list *woken)
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
                copy_message(data, buffer, mb->ring.elem_size);
            else if (!l)
                copy_message(buffer, data, mb->ring.elem_size);
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
    if (mb->slow & CO4__MESSAGES_MOVE)
        co4__messages_move(&mb->ring);
}

static enum served serve_receiver(co4_mailbox *mb, struct co4__list *woken)
{
    if (!mb->queues[CO4__RECEIVERS].waiters.head || mb->ring.count <= mb->notified[CO4__RECEIVERS])
        return NOBODY;
    enum served s = serve_side(mb, CO4__RECEIVERS, co4__messages_slot(&mb->ring, 0), woken);
    if (s == SERVED)
        drop_oldest(mb);
    return s;
}

/* The ring is full, the mailbox is not: lets the ring grow. The first room is all of a small
 * mailbox, a few elements of a large one. False: out of memory. True: the caller looks at
 * everything again. */
static bool grow_ring(co4_mailbox *mb)
{
    uint64_t bytes = (uint64_t)mb->capacity * mb->ring.elem_size;
    uint32_t room = mb->ring.room > 0 ? 2 * mb->ring.room : bytes <= SMALL_RING ? mb->capacity : 4;
    return co4__messages_grow(&mb->ring, room < mb->capacity ? room : mb->capacity, &mb->slow,
                              &mb->queues[0]);
}

/* If there is no memory for its message, a sender waits until the next message is taken out. */
static enum served serve_sender(co4_mailbox *mb, struct co4__list *woken)
{
    if (!mb->queues[CO4__SENDERS].waiters.head || mb->closed ||
        mb->capacity - mb->ring.count <= mb->notified[CO4__SENDERS])
        return NOBODY;
    if (mb->ring.count == mb->ring.room)
        return grow_ring(mb) ? AGAIN : NOBODY;
    enum served s = serve_side(mb, CO4__SENDERS, co4__messages_slot(&mb->ring, mb->ring.count),
                               woken);
    mb->ring.count += s == SERVED;
    return s;
}

void co4__mailbox_settle(co4_mailbox *mb, struct co4__list *woken)
{
    unsigned served = 0;
    co4__messages_move_on(&mb->ring, &mb->slow, &mb->queues[0]);
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
        if (!grow_ring(mb))
            return CO4_ENOMEM;
    }
}

static int send_slowly(co4_mailbox *mb, const void *msg, struct co4__list *woken)
{
    enum served s = AGAIN;
    while (s == AGAIN && !mb->closed) {
        bool direct = mb->capacity == 0 ||
                      (mb->ring.count == 0 && mb->notified[CO4__RECEIVERS] == 0);
        s = direct ? serve_side(mb, CO4__RECEIVERS, (void *)(uintptr_t)msg, woken) : NOBODY;
    }
    if (s == SERVED)
        return CO4_OK;
    int err = co4__mailbox_ready_to_send(mb, woken);
    if (err == CO4_OK) {
        push_message(mb, msg, mb->ring.elem_size);
        co4__mailbox_settle(mb, woken);
    }
    return err;
}

static int receive_slowly(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    co4__mailbox_settle(mb, woken);
    if (mb->ring.count > 0) {
        copy_message(out, co4__messages_slot(&mb->ring, 0), mb->ring.elem_size);
        co4__mailbox_pop(mb, woken);
        return CO4_OK;
    }
    enum served s = AGAIN;
    while (s == AGAIN)
        s = mb->capacity == 0 ? serve_side(mb, CO4__SENDERS, out, woken) : NOBODY;
    return s == SERVED ? CO4_OK : mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
}

/* ---- the forms of a call ---- */

/* Send and receive differ in these two calls only; the forms below are written once for both. */
static CO4__ALWAYS_INLINE int attempt(co4_mailbox *mb, enum co4__side side, void *msg,
                                      uint32_t bytes, struct co4__list *woken,
                                      const enum co4__mode mode)
{
    return side == CO4__RECEIVERS ? receive_now(mb, msg, bytes, woken, mode)
                                  : send_now(mb, msg, bytes, woken, mode);
}

/* An attempt without the lock. *task: one to be woken, or NULL. The caller ends the section,
 * whatever the result. */
static CO4__ALWAYS_INLINE int attempt_lockless(struct co4__local *here, co4_mailbox *mb,
                                               enum co4__side side, void *msg, uint32_t bytes,
                                               struct co4__waiter **task)
{
    struct co4__list woken = { NULL, NULL };
    int err = NEEDS_LOCK;
    if (CO4__LIKELY(co4__section_begin_at(here, &mb->queues[0].lock) == CO4__LOCKLESS))
        err = attempt(mb, side, msg, bytes, &woken, CO4__LOCKLESS);
    *task = woken.head;
    return err;
}

static int attempt_locked(co4_mailbox *mb, enum co4__side side, void *msg, struct co4__list *woken)
{
    return attempt(mb, side, msg, mb->ring.elem_size, woken, CO4__LOCKED);
}

static inline bool must_wait(int err)
{
    return err == CO4_EFULL || err == CO4_EEMPTY;
}

/* An attempt of a caller that does not wait. */
static inline int try_message(co4_mailbox *mb, enum co4__side side, void *msg)
{
    struct co4__waiter *task;
    struct co4__local *here = co4__local();
    int err = attempt_lockless(here, mb, side, msg, mb->ring.elem_size, &task);
    co4__section_end(here);
    if (err == NEEDS_LOCK) {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&mb->queues[0].lock);
        err = attempt_locked(mb, side, msg, &woken);
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    } else if (task) {
        co4__wake(task);
    }
    return err;
}

int co4__mailbox_take(co4_mailbox *mb, void *out)
{
    return try_message(mb, CO4__RECEIVERS, out);
}

/* The task may pause here. Waits with a deadline, and without one under the lock. */
static CO4__NOINLINE int pause_locked(co4_fiber *co4, co4_mailbox *mb, enum co4__side side,
                                      void *msg, int64_t deadline)
{
    struct co4__list woken = { NULL, NULL };
    struct co4__timer *timer = NULL;
    if (deadline != CO4_NEVER) {
        int err = try_message(mb, side, msg);
        if (must_wait(err) && deadline != CO4_NOW && co4_now() >= deadline)
            err = CO4_ETIMEDOUT;
        else if (must_wait(err) && deadline != CO4_NOW &&
                 !(timer = co4__timer_create(co4__task_of(co4), deadline)))
            err = CO4_ENOMEM;
        if (!timer)
            return co4__done(co4, err);
    }
    co4__lock_take(&mb->queues[0].lock);
    int err = attempt_locked(mb, side, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, &mb->queues[side], co4__kind_of_side(side), msg, timer);
        co4__list_wake(&woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->queues[0].lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    co4__list_wake(&woken);
    return co4__done(co4, err);
}

static CO4__ALWAYS_INLINE int pause_for_message(co4_fiber *co4, co4_mailbox *mb,
                                                enum co4__side side, void *msg, uint32_t bytes)
{
    struct co4__waiter *task;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    struct co4__local *here = co4__local();
    int err = attempt_lockless(here, mb, side, msg, bytes, &task);
    if (must_wait(err) && CO4__LIKELY(co4->shields == 0))
        return co4__wait_lockless(here, co4, &mb->queues[side], co4__kind_of_side(side), msg);
    co4__section_end(here);
    if (CO4__UNLIKELY(err == NEEDS_LOCK || must_wait(err)))
        return pause_locked(co4, mb, side, msg, CO4_NEVER);
    return CO4__LIKELY(task != NULL) ? co4__task_wake_done(co4, co4__task_of_waiter(task))
                                     : co4__done(co4, err);
}

/* The same for any size, and with a deadline. */
static CO4__NOINLINE int pause_until(co4_fiber *co4, co4_mailbox *mb, enum co4__side side,
                                     void *msg, int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return pause_for_message(co4, mb, side, msg, mb->ring.elem_size);
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    return pause_locked(co4, mb, side, msg, deadline);
}

/* The thread waits, unless it runs a task. */
static int block_until(co4_mailbox *mb, enum co4__side side, void *msg, int64_t deadline,
                       bool in_task)
{
    if (CO4__UNLIKELY(in_task && deadline != CO4_NOW))
        return CO4_EDEADLK;
    int err = try_message(mb, side, msg);
    if (!must_wait(err) || deadline == CO4_NOW)
        return err;
    struct co4__blocker b;
    if ((err = co4__blocker_init(&b)) != CO4_OK)
        return err;
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&mb->queues[0].lock);
    err = attempt_locked(mb, side, msg, &woken);
    if (must_wait(err)) {
        co4__blocker_queue(&b, &mb->queues[side], co4__kind_of_side(side) | CO4__NO_TASK, msg);
        co4__list_wake(&woken);
        err = co4__blocker_wait(&b, deadline, NULL);
    } else {
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    }
    co4__blocker_fini(&b);
    return err;
}

#define IN(msg) ((void *)(uintptr_t)(msg)) /* a send only reads it */

/* Compares 32 bits, which is one instruction. A size that is larger by 4 GiB does no harm: the copy
 * has the mailbox's size. */
static CO4__ALWAYS_INLINE bool has_size(const co4_mailbox *mb, size_t size)
{
    return mb && (uint32_t)size == mb->ring.elem_size;
}

static CO4__ALWAYS_INLINE bool takes(const co4_mailbox *mb, const void *msg, size_t size)
{
    return msg && has_size(mb, size);
}

/* The code for a message of another size, or NULL. Programs that do not look at it learn of the
 * size: no such call succeeds. */
static CO4__NOINLINE int refused(const co4_mailbox *mb, const void *msg)
{
    static atomic_bool reported;
    if (mb && msg)
        co4__advise(&reported, "a message's size is not that of its mailbox: CO4_EINVAL; "
                               "see CO4_MAILBOX_OF");
    return CO4_EINVAL;
}

static CO4__NOINLINE int refuse(co4_fiber *co4, const co4_mailbox *mb, const void *msg)
{
    return co4__done(co4, refused(mb, msg));
}

int co4_abi_send(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size)
{
    return takes(mb, msg, size) ? pause_until(co4, mb, CO4__SENDERS, IN(msg), CO4_NEVER)
                                : refuse(co4, mb, msg);
}

int co4_abi_receive(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size)
{
    return takes(mb, out, size) ? pause_until(co4, mb, CO4__RECEIVERS, out, CO4_NEVER)
                                : refuse(co4, mb, out);
}

/* These end in tail calls, so that they save no registers. */
int co4_abi_send_4(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(has_size(mb, 4)) ? pause_for_message(co4, mb, CO4__SENDERS, IN(msg), 4)
                                        : refuse(co4, mb, msg);
}

int co4_abi_send_8(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(has_size(mb, 8)) ? pause_for_message(co4, mb, CO4__SENDERS, IN(msg), 8)
                                        : refuse(co4, mb, msg);
}

int co4_abi_receive_4(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(has_size(mb, 4)) ? pause_for_message(co4, mb, CO4__RECEIVERS, out, 4)
                                        : refuse(co4, mb, out);
}

int co4_abi_receive_8(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(has_size(mb, 8)) ? pause_for_message(co4, mb, CO4__RECEIVERS, out, 8)
                                        : refuse(co4, mb, out);
}

int co4_mailbox_send_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size,
                                int64_t deadline)
{
    return takes(mb, msg, size) ? pause_until(co4, mb, CO4__SENDERS, IN(msg), deadline)
                                : refuse(co4, mb, msg);
}

int co4_mailbox_receive_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size,
                                   int64_t deadline)
{
    return takes(mb, out, size) ? pause_until(co4, mb, CO4__RECEIVERS, out, deadline)
                                : refuse(co4, mb, out);
}

int(co4_mailbox_send_until)(co4_mailbox *mb, const void *msg, size_t size, int64_t deadline)
{
    return takes(mb, msg, size) ? block_until(mb, CO4__SENDERS, IN(msg), deadline, co4__in_task())
                                : refused(mb, msg);
}

int(co4_mailbox_receive_until)(co4_mailbox *mb, void *out, size_t size, int64_t deadline)
{
    return takes(mb, out, size) ? block_until(mb, CO4__RECEIVERS, out, deadline, co4__in_task())
                                : refused(mb, out);
}

int(co4_mailbox_send)(co4_mailbox *mb, const void *msg, size_t size)
{
    return takes(mb, msg, size) ? block_until(mb, CO4__SENDERS, IN(msg), CO4_NEVER, co4__in_task())
                                : refused(mb, msg);
}

int(co4_mailbox_receive)(co4_mailbox *mb, void *out, size_t size)
{
    return takes(mb, out, size) ? block_until(mb, CO4__RECEIVERS, out, CO4_NEVER, co4__in_task())
                                : refused(mb, out);
}

/* Messages that are received each time the lock is held. */
enum { AT_ONCE = 64 };

void co4__mailbox_receive_rest(co4_mailbox *mb, void *out, size_t max, size_t *got)
{
    int err = CO4_OK;
    while (err == CO4_OK && *got < max) {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&mb->queues[0].lock);
        for (int i = 0; err == CO4_OK && i < AT_ONCE && *got < max; i++) {
            void *to = (unsigned char *)out + *got * mb->ring.elem_size;
            err = attempt_locked(mb, CO4__RECEIVERS, to, &woken);
            *got += err == CO4_OK;
        }
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    }
}
