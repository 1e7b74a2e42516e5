/* mailbox.c - the operations of mailboxes: a bounded ring of messages, and waiters at either end.
 *
 * Purpose: the common cases, which are a message in the ring and the hand-over to the first waiter;
 * and the forms of the calls. mailbox_serve.c has the invariants and the other cases.
 *
 * Concurrency: the lock is held for the copy of a few elements. Memory is allocated and freed
 * without it, and then the thread looks at everything again. Order: mailbox, then timers. A
 * section (lock.h) does the common cases without the lock. Uncommon states set a bit of `slow`,
 * which a send reads anyway to see whether the mailbox is closed.
 *
 * Rejected: a lock-free ring (close, deadlines and waiters of both kinds need one decision over
 * messages and waiters); a single consumer; NULL for "empty"; rings from the frame pool (they mix
 * with frames of the same size: a second skynet ran 1.5 times as long). */
#include "sync/mailbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
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

#define LIMIT ((size_t)1 << 31)

/* ---- life ---- */

static size_t bytes_of(bool accounted)
{
    return sizeof(co4_mailbox) + (accounted ? sizeof(struct co4__account) : 0);
}

atomic_uint co4__accounts;

static struct co4__account *account_of(co4_mailbox *mb)
{
    return (struct co4__account *)(void *)(mb + 1);
}

int co4_mailbox_make(co4_mailbox **mb, size_t elem_size, size_t capacity)
{
    if (!mb)
        return CO4_EINVAL;
    *mb = NULL;
    if (capacity == CO4_UNBOUNDED)
        capacity = LIMIT - 1;
    if (elem_size == 0 || elem_size >= LIMIT || capacity >= LIMIT)
        return CO4_EINVAL;
    bool accounted = atomic_load_explicit(&co4__accounts, memory_order_relaxed) > 0;
    *mb = co4__pool_take(bytes_of(accounted));
    if (!*mb)
        return CO4_ENOMEM;
    memset(*mb, 0, sizeof **mb);
    (*mb)->accounted = accounted;
    (*mb)->source.ops = &co4__mailbox_ops;
    (*mb)->ring.elem_size = (uint32_t)elem_size;
    (*mb)->capacity = (uint32_t)capacity;
    (*mb)->queues[CO4__SENDERS].second = 1;
    if (CO4__UNLIKELY(accounted))
        co4__mailbox_hooks.is_made(account_of(*mb), *mb);
    return CO4_OK;
}

co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity)
{
    co4_mailbox *mb;
    co4_mailbox_make(&mb, elem_size, capacity);
    return mb;
}

int co4_mailbox_destroy(co4_mailbox *mb)
{
    if (!mb)
        return CO4_OK;
    co4__lock_take(&mb->queues[0].lock);
    bool clear = co4__wait_queue_clear(&mb->queues[CO4__RECEIVERS]) &&
                 co4__wait_queue_clear(&mb->queues[CO4__SENDERS]) &&
                 mb->notified[CO4__RECEIVERS] == 0 && mb->notified[CO4__SENDERS] == 0;
    co4__lock_give(&mb->queues[0].lock);
    if (!clear)
        return CO4_EBUSY;
    if (mb->slow & CO4__SLOW_MOVES)
        co4__free(co4__messages_old(&mb->ring));
    if (CO4__UNLIKELY(mb->accounted))
        co4__mailbox_hooks.is_destroyed(account_of(mb));
    co4__free(mb->ring.slots);
    co4__pool_drop(mb, bytes_of(mb->accounted));
    return CO4_OK;
}

/* ---- one attempt ---- */

/* An attempt is written once, and its mode (lock.h) is a constant. In a section it returns
 * NEEDS_LOCK for uncommon states. Then nothing was done, and the caller repeats it under the
 * lock. */
enum { NEEDS_LOCK = 1 };

/* Claims the first waiter of this kind, if that is a task without a deadline, and removes it. */
static CO4__ALWAYS_INLINE struct co4__waiter *take_plain(struct co4__wait_queue *queue,
                                                         unsigned kind, const enum co4__mode mode)
{
    struct co4__waiter *w = queue->waiters.head;
    if (CO4__UNLIKELY(!co4__is_plain_waiter(w, kind)))
        return NULL;
    if (mode == CO4__LOCKLESS) {
        co4__take_first(queue, w);
        return w;
    }
    if (!co4__take(queue, w))
        return NULL;
    w->next = NULL;
    return w;
}

/* Adds a message for which there is memory; the size is in a register. */
static CO4__ALWAYS_INLINE void push(co4_mailbox *mb, const void *msg, uint32_t size)
{
    co4__message_copy(co4__messages_slot(&mb->ring, mb->ring.count), msg, size);
    mb->ring.count++;
}

/* *wake: waiters to wake after the lock is released, linked by `next`, or after the section has
 * ended: one task then. Also set when the caller has to wait. */
static CO4__ALWAYS_INLINE int send_now(co4_mailbox *mb, const void *msg, uint32_t size,
                                       struct co4__waiter **wake, const enum co4__mode mode)
{
    struct co4__wait_queue *receivers = &mb->queues[CO4__RECEIVERS];
    *wake = NULL;
    if (CO4__LIKELY(!mb->slow)) {
        if (mb->ring.count == 0 && receivers->waiters.head) {
            struct co4__waiter *w = take_plain(receivers, CO4__WAIT_RECEIVE, mode);
            if (w) {
                co4__message_copy(w->result.wait.buffer, msg, size);
                w->result.i = CO4_OK;
                *wake = w;
                return CO4_OK;
            }
        } else if (mb->ring.count == mb->capacity) {
            return CO4_EFULL;
        } else if (CO4__LIKELY(mb->ring.count != mb->ring.room)) {
            push(mb, msg, size);
            return CO4_OK;
        }
    }
    return mode == CO4__LOCKED ? co4__mailbox_send_slow(mb, msg, wake) : NEEDS_LOCK;
}

static CO4__ALWAYS_INLINE int receive_now(co4_mailbox *mb, void *out, uint32_t size,
                                          struct co4__waiter **wake, const enum co4__mode mode)
{
    struct co4__wait_queue *senders = &mb->queues[CO4__SENDERS];
    struct co4__waiter *w = NULL;
    *wake = NULL;
    if (CO4__LIKELY(!mb->slow)) {
        if (mb->ring.count == 0 && mb->capacity != 0)
            return CO4_EEMPTY;
        if (mb->ring.count != 0 &&
            (!senders->waiters.head || (w = take_plain(senders, CO4__WAIT_SEND, mode)) != NULL)) {
            co4__message_copy(out, co4__messages_slot(&mb->ring, 0), size);
            co4__messages_drop(&mb->ring);
            if (w) {
                push(mb, w->result.wait.buffer, size);
                w->result.i = CO4_OK;
                *wake = w;
            }
            return CO4_OK;
        }
    }
    return mode == CO4__LOCKED ? co4__mailbox_receive_slow(mb, out, wake) : NEEDS_LOCK;
}

/* Send and receive differ in these two calls only; the forms below are written once for both. */
static CO4__ALWAYS_INLINE int now(co4_mailbox *mb, int kind, void *msg, uint32_t size,
                                  struct co4__waiter **wake, const enum co4__mode mode)
{
    return kind == CO4__WAIT_RECEIVE ? receive_now(mb, msg, size, wake, mode)
                                     : send_now(mb, msg, size, wake, mode);
}

/* An attempt without the lock. The caller ends the section, whatever the result. */
static CO4__ALWAYS_INLINE int now_lockless(struct co4__local *here, co4_mailbox *mb, int kind,
                                           void *msg, uint32_t size, struct co4__waiter **wake)
{
    return CO4__LIKELY(co4__section_begin_at(here, &mb->queues[0].lock) == CO4__LOCKLESS)
               ? now(mb, kind, msg, size, wake, CO4__LOCKLESS)
               : NEEDS_LOCK;
}

/* An attempt under the lock. */
static int now_locked(co4_mailbox *mb, int kind, void *msg, struct co4__waiter **wake)
{
    return now(mb, kind, msg, mb->ring.elem_size, wake, CO4__LOCKED);
}

static inline bool must_wait(int err)
{
    return err == CO4_EFULL || err == CO4_EEMPTY;
}

static inline struct co4__wait_queue *queue_of(co4_mailbox *mb, int kind)
{
    return &mb->queues[kind == CO4__WAIT_RECEIVE ? CO4__RECEIVERS : CO4__SENDERS];
}

/* Wakes waiters that are linked by `next`. */
static inline void wake_all(struct co4__waiter *w)
{
    for (struct co4__waiter *next; w; w = next) {
        next = w->next;
        co4__wake(w);
    }
}

/* ---- the forms ---- */

static inline int op_try(co4_mailbox *mb, int kind, void *msg)
{
    struct co4__waiter *woken;
    struct co4__local *here = co4__local();
    int err = now_lockless(here, mb, kind, msg, mb->ring.elem_size, &woken);
    co4__section_end(here);
    if (err == NEEDS_LOCK) {
        co4__lock_take(&mb->queues[0].lock);
        err = now_locked(mb, kind, msg, &woken);
        co4__lock_give(&mb->queues[0].lock);
        wake_all(woken);
    } else if (woken) { /* one task, which is not linked */
        co4__wake(woken);
    }
    return err;
}

int co4__mailbox_take(co4_mailbox *mb, void *out)
{
    return op_try(mb, CO4__WAIT_RECEIVE, out);
}

/* The task may pause here. Waits with a deadline, and without one under the lock. */
static CO4__NOINLINE int pause_locked(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg,
                                      int64_t deadline)
{
    struct co4__waiter *woken;
    struct co4__timer *timer = NULL;
    if (deadline != CO4_NEVER) {
        int err = op_try(mb, kind, msg);
        if (must_wait(err) && deadline != CO4_NOW && co4_now() >= deadline)
            err = CO4_ETIMEDOUT;
        else if (must_wait(err) && deadline != CO4_NOW &&
                 !(timer = co4__timer_create(co4__task_of(co4), deadline)))
            err = CO4_ENOMEM;
        if (!timer)
            return co4__done(co4, err);
    }
    co4__lock_take(&mb->queues[0].lock);
    int err = now_locked(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, queue_of(mb, kind), (unsigned)kind, msg, timer);
        wake_all(woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->queues[0].lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    wake_all(woken);
    return co4__done(co4, err);
}

static CO4__ALWAYS_INLINE int op_pause(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg,
                                       uint32_t size)
{
    struct co4__waiter *woken;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    struct co4__local *here = co4__local();
    int err = now_lockless(here, mb, kind, msg, size, &woken);
    if (must_wait(err) && CO4__LIKELY(co4->shields == 0))
        return co4__wait_lockless(here, co4, queue_of(mb, kind), (unsigned)kind, msg);
    co4__section_end(here);
    if (CO4__UNLIKELY(err == NEEDS_LOCK || must_wait(err)))
        return pause_locked(co4, mb, kind, msg, CO4_NEVER);
    return CO4__LIKELY(woken != NULL) ? co4__task_wake_done(co4, co4__task_of_waiter(woken))
                                      : co4__done(co4, err);
}

static CO4__NOINLINE int op_pause_any(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg)
{
    return op_pause(co4, mb, kind, msg, mb->ring.elem_size);
}

static int op_pause_until(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg, int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return op_pause_any(co4, mb, kind, msg);
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    return pause_locked(co4, mb, kind, msg, deadline);
}

static int op_block(co4_mailbox *mb, int kind, void *msg, int64_t deadline, bool in_task)
{
    if (CO4__UNLIKELY(in_task && deadline != CO4_NOW))
        return CO4_EDEADLK;
    int err = op_try(mb, kind, msg);
    if (!must_wait(err) || deadline == CO4_NOW)
        return err;
    struct co4__blocker b;
    if ((err = co4__blocker_init(&b)) != CO4_OK)
        return err;
    struct co4__waiter *woken;
    co4__lock_take(&mb->queues[0].lock);
    err = now_locked(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__blocker_queue(&b, queue_of(mb, kind), (unsigned)kind | CO4__NO_TASK, msg);
        wake_all(woken);
        err = co4__blocker_wait(&b, deadline, NULL);
    } else {
        co4__lock_give(&mb->queues[0].lock);
        wake_all(woken);
    }
    co4__blocker_fini(&b);
    return err;
}

#define IN(msg) ((void *)(uintptr_t)(msg)) /* a send only reads it */

/* Compares 32 bits, which is one instruction. A size that is larger by 4 GiB does no harm: the copy
 * has the mailbox's size. */
static CO4__ALWAYS_INLINE bool holds(const co4_mailbox *mb, size_t size)
{
    return mb && (uint32_t)size == mb->ring.elem_size;
}

static CO4__ALWAYS_INLINE bool takes(const co4_mailbox *mb, const void *msg, size_t size)
{
    return msg && holds(mb, size);
}

int co4_abi_send(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size)
{
    return takes(mb, msg, size) ? op_pause_any(co4, mb, CO4__WAIT_SEND, IN(msg))
                                : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size)
{
    return takes(mb, out, size) ? op_pause_any(co4, mb, CO4__WAIT_RECEIVE, out)
                                : co4__done(co4, CO4_EINVAL);
}

/* These end in tail calls, so that they save no registers. */
int co4_abi_send_4(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(holds(mb, 4)) ? op_pause(co4, mb, CO4__WAIT_SEND, IN(msg), 4)
                                     : co4__done(co4, CO4_EINVAL);
}

int co4_abi_send_8(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(holds(mb, 8)) ? op_pause(co4, mb, CO4__WAIT_SEND, IN(msg), 8)
                                     : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive_4(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(holds(mb, 4)) ? op_pause(co4, mb, CO4__WAIT_RECEIVE, out, 4)
                                     : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive_8(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(holds(mb, 8)) ? op_pause(co4, mb, CO4__WAIT_RECEIVE, out, 8)
                                     : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_send_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size,
                                int64_t deadline)
{
    return takes(mb, msg, size) ? op_pause_until(co4, mb, CO4__WAIT_SEND, IN(msg), deadline)
                                : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_receive_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size,
                                   int64_t deadline)
{
    return takes(mb, out, size) ? op_pause_until(co4, mb, CO4__WAIT_RECEIVE, out, deadline)
                                : co4__done(co4, CO4_EINVAL);
}

int(co4_mailbox_send_until)(co4_mailbox *mb, const void *msg, size_t size, int64_t deadline)
{
    return takes(mb, msg, size) ? op_block(mb, CO4__WAIT_SEND, IN(msg), deadline, co4__in_task())
                                : CO4_EINVAL;
}

int(co4_mailbox_receive_until)(co4_mailbox *mb, void *out, size_t size, int64_t deadline)
{
    return takes(mb, out, size) ? op_block(mb, CO4__WAIT_RECEIVE, out, deadline, co4__in_task())
                                : CO4_EINVAL;
}

int(co4_mailbox_send)(co4_mailbox *mb, const void *msg, size_t size)
{
    return takes(mb, msg, size) ? op_block(mb, CO4__WAIT_SEND, IN(msg), CO4_NEVER, co4__in_task())
                                : CO4_EINVAL;
}

int(co4_mailbox_receive)(co4_mailbox *mb, void *out, size_t size)
{
    return takes(mb, out, size) ? op_block(mb, CO4__WAIT_RECEIVE, out, CO4_NEVER, co4__in_task())
                                : CO4_EINVAL;
}

/* ---- the rest ---- */

int co4_mailbox_close(co4_mailbox *mb)
{
    struct co4__list woken = { NULL, NULL };
    if (!mb)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    mb->closed = true;
    mb->slow |= CO4__SLOW;
    co4__mailbox_settle(mb, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
    return CO4_OK;
}

#define BATCH 64 /* messages for each time the lock is held */

void co4__mailbox_receive_rest(co4_mailbox *mb, void *out, size_t max, size_t *got)
{
    int err = CO4_OK;
    while (err == CO4_OK && *got < max) {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&mb->queues[0].lock);
        for (int i = 0; i < BATCH && *got < max; i++) {
            struct co4__waiter *w;
            void *to = (unsigned char *)out + *got * mb->ring.elem_size;
            err = now_locked(mb, CO4__WAIT_RECEIVE, to, &w);
            for (struct co4__waiter *next; w; w = next) {
                next = w->next;
                co4__list_push(&woken, w);
            }
            if (err != CO4_OK)
                break;
            ++*got;
        }
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    }
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->queues[0].lock);
    size_t n = mb->ring.count;
    co4__lock_give(&mb->queues[0].lock);
    return n;
}

size_t co4_mailbox_capacity(const co4_mailbox *mb)
{
    return mb ? mb->capacity : 0;
}

int co4_mailbox_is_closed(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->queues[0].lock);
    int closed = mb->closed;
    co4__lock_give(&mb->queues[0].lock);
    return closed;
}
