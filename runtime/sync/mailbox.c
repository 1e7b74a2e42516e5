/* mailbox.c - the operations of mailboxes: a bounded ring of messages, and waiters at either end.
 *
 * Invariants, under the lock: receivers wait only while the ring is empty, senders only while it is
 * full. So the wait queue holds one kind, first come first served, apart from waiters that another
 * thread has claimed (wait.c). A mailbox of capacity 0, a rendezvous channel, is both empty and
 * full: only one side waits, and an operation of the other takes from it or gives to it. A waiter's
 * buffer is valid while it is queued. A closed mailbox has no waiters but the receivers below.
 *
 * Exceptions: the mailbox holds back the message or the room that a notified listener looks at
 * (look.h), and a filter (source_operators.c) may refuse the oldest message. Then receivers wait
 * although there are messages, or senders although there is room. With an `extension` both kinds
 * may wait, in several queues (mailbox_lists.c), and each new oldest message is offered to them.
 *
 * Hand-over: a send that finds a waiting receiver copies the message into its buffer. A receive
 * that makes room moves the first waiting sender's message into the ring. So a woken task has its
 * result, and takes no lock. The claimer wakes it after unlocking. Model: tests/model/mailbox.pml.
 *
 * Concurrency: the lock is held for the copy of a few elements. Memory is allocated and freed
 * without it, and then the thread looks at everything again. Order: mailbox, then timers. A
 * section (lock.h) does the common cases without the lock. Uncommon states set a bit of `slow`,
 * which a send reads anyway to see whether the mailbox is closed.
 *
 * Rejected: a lock-free ring (close, deadlines and waiters of both kinds need one decision over
 * messages and waiters); a single consumer; NULL for "empty". */
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
#include "sched/run.h"
#include "sync/mailbox_extension.h"
#include "sync/mailbox_lists.h"
#include "sync/mailbox_memory.h"
#include "sync/mailbox_serve.h"
#include "sync/mailbox_source.h"

#define LIMIT ((size_t)1 << 31)

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
    bool clear = co4__mailbox_clear(mb);
    const struct co4__mailbox_extension *x = mb->extension;
    clear = clear && !(mb->slow & CO4__HELD) && !(x && (x->watches || x->pending || x->notified));
    co4__lock_give(&mb->queues[0].lock);
    if (!clear)
        return CO4_EBUSY;
    if (mb->slow & CO4__SLOW_MOVES)
        co4__free(co4__messages_old(&mb->ring));
    if (mb->extension) {
        if (mb->extension->urgent_moves)
            co4__free(co4__messages_old(&mb->extension->urgent));
        co4__free(mb->extension->urgent.slots);
        co4__pool_drop(mb->extension, sizeof *mb->extension);
    }
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

static CO4__NOINLINE struct co4__waiter *woken_by_room(co4_mailbox *mb)
{
    struct co4__list woken = { NULL, NULL };
    co4__mailbox_room_made(mb, &woken);
    return woken.head;
}

static int send_looking(co4_mailbox *mb, const void *msg, struct co4__list *woken)
{
    struct co4__met met = { woken, false };
    for (;;) {
        struct co4__waiter *w;
        if (mb->closed)
            return CO4_ECLOSED;
        if (mb->ring.count == 0 &&
            (w = co4__mailbox_serve(mb, CO4__WAIT_RECEIVE, co4__to_receiver, msg, &met)) != NULL) {
            co4__list_push(woken, w);
            return CO4_OK;
        }
        if (co4__mailbox_yields(mb, &met) || co4__mailbox_readies_send(mb, woken))
            continue;
        if (co4__mailbox_count(mb) == mb->capacity)
            return CO4_EFULL;
        if (co4__mailbox_lacks_room(mb))
            return CO4_ENOMEM;
        co4__messages_push(&mb->ring, msg);
        co4__mailbox_came(mb, woken);
        return CO4_OK;
    }
}

static CO4__NOINLINE int send_slow(co4_mailbox *mb, const void *msg, struct co4__waiter **wake)
{
    struct co4__list woken = { NULL, NULL };
    co4__mailbox_moved_on(mb);
    int err = send_looking(mb, msg, &woken);
    *wake = woken.head;
    return err;
}

static CO4__NOINLINE int receive_slow(co4_mailbox *mb, void *out, struct co4__waiter **wake)
{
    struct co4__list woken = { NULL, NULL };
    int err = co4__mailbox_receive_now(mb, out, &woken);
    *wake = woken.head;
    return err;
}

/* In a section: the first waiter, which co4__is_plain_waiter(), has its message. Removes it. */
static CO4__ALWAYS_INLINE struct co4__waiter *served_first(struct co4__wait_queue *p,
                                                           struct co4__waiter *w)
{
    co4__take_first(p, w);
    w->result.i = CO4_OK;
    return w;
}

/* Like co4__messages_push(), for a size that is in a register. */
static CO4__ALWAYS_INLINE void push(co4_mailbox *mb, const void *msg, uint32_t size)
{
    co4__message_copy(co4__messages_slot(&mb->ring, mb->ring.count), msg, size);
    mb->ring.count++;
}

/* Gives the message to a waiting receiver. The ring is empty, and the mailbox is not `slow`. NULL:
 * nothing was done. */
static CO4__ALWAYS_INLINE struct co4__waiter *hand_over(co4_mailbox *mb, const void *msg,
                                                        uint32_t size, const enum co4__mode mode)
{
    if (mode == CO4__LOCKED)
        return co4__mailbox_serve(mb, CO4__WAIT_RECEIVE, co4__to_receiver, msg, NULL);
    struct co4__waiter *w = mb->queues[CO4__RECEIVERS].waiters.head;
    if (!co4__is_plain_waiter(w, CO4__WAIT_RECEIVE))
        return NULL;
    co4__message_copy(w->result.wait.buffer, msg, size);
    return served_first(&mb->queues[CO4__RECEIVERS], w);
}

/* *wake: waiters to wake after the lock is released, linked by `next`, or after the section has
 * ended: one task then. Also set when the caller has to wait. */
static CO4__ALWAYS_INLINE int send_now(co4_mailbox *mb, const void *msg, uint32_t size,
                                       struct co4__waiter **wake, const enum co4__mode mode)
{
    *wake = NULL;
    do {
        if (CO4__UNLIKELY(mb->slow))
            return mode == CO4__LOCKED ? send_slow(mb, msg, wake) : NEEDS_LOCK;
        if (mb->ring.count == 0 && mb->queues[CO4__RECEIVERS].waiters.head) {
            if ((*wake = hand_over(mb, msg, size, mode)) != NULL)
                return CO4_OK;
            if (mode == CO4__LOCKLESS)
                return NEEDS_LOCK;
            if (CO4__UNLIKELY(mb->slow))
                return send_slow(mb, msg, wake);
        }
        if (mb->ring.count == mb->capacity)
            return CO4_EFULL;
        if (CO4__LIKELY(mb->ring.count != mb->ring.room)) {
            push(mb, msg, size);
            return CO4_OK;
        }
    } while (mode == CO4__LOCKED && co4__mailbox_make_room(mb));
    return mode == CO4__LOCKED ? CO4_ENOMEM : NEEDS_LOCK;
}

/* A receive has made room. Lets a sender in; in a section that is w, the first waiter. */
static CO4__ALWAYS_INLINE struct co4__waiter *let_in(co4_mailbox *mb, struct co4__waiter *w,
                                                     uint32_t size, const enum co4__mode mode)
{
    if (mode == CO4__LOCKED)
        return woken_by_room(mb);
    push(mb, w->result.wait.buffer, size);
    return served_first(&mb->queues[CO4__SENDERS], w);
}

static CO4__ALWAYS_INLINE int receive_now(co4_mailbox *mb, void *out, uint32_t size,
                                          struct co4__waiter **wake, const enum co4__mode mode)
{
    *wake = NULL;
    if (mb->ring.count == 0) {
        if (CO4__LIKELY(mb->capacity != 0 && !mb->slow))
            return CO4_EEMPTY; /* a closed mailbox is slow */
        return mode == CO4__LOCKED ? receive_slow(mb, out, wake) : NEEDS_LOCK;
    }
    struct co4__waiter *w = mb->queues[CO4__SENDERS].waiters.head;
    if (mode == CO4__LOCKLESS && (mb->slow || (w && !co4__is_plain_waiter(w, CO4__WAIT_SEND))))
        return NEEDS_LOCK;
    co4__message_copy(out, co4__messages_slot(&mb->ring, 0), size);
    co4__messages_drop(&mb->ring);
    if (mode == CO4__LOCKED ? co4__mailbox_wants_room(mb) : w != NULL)
        *wake = let_in(mb, w, size, mode);
    return CO4_OK;
}

/* Send and receive differ in these two calls only; the four forms below are written once for
 * both. */
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

/* Wakes waiters that are linked by `next`. */
static inline void wake(struct co4__waiter *w)
{
    for (struct co4__waiter *next; w; w = next) {
        next = w->next;
        co4__wake(w);
    }
}

/* ---- four forms ---- */

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
        wake(woken);
    } else if (woken) {
        co4__wake(woken);
    }
    return err;
}

int co4__mailbox_take(co4_mailbox *mb, void *out)
{
    return op_try(mb, CO4__WAIT_RECEIVE, out);
}

static CO4__NOINLINE int op_pause_locked(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg)
{
    struct co4__waiter *woken;
    co4__lock_take(&mb->queues[0].lock);
    int err = now_locked(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, co4__mailbox_queue(mb, (unsigned)kind), (unsigned)kind, msg, NULL);
        wake(woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->queues[0].lock);
    wake(woken);
    return co4__done(co4, err);
}

static CO4__ALWAYS_INLINE int pauses(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg,
                                     uint32_t size)
{
    struct co4__waiter *woken;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    struct co4__local *here = co4__local();
    int err = now_lockless(here, mb, kind, msg, size, &woken);
    if (must_wait(err))
        return co4__wait_lockless(here, co4, co4__mailbox_queue(mb, (unsigned)kind), (unsigned)kind,
                                  msg);
    co4__section_end(here);
    if (CO4__UNLIKELY(err == NEEDS_LOCK))
        return op_pause_locked(co4, mb, kind, msg);
    return CO4__LIKELY(woken != NULL) ? co4__task_wake_done(co4, co4__task_of_waiter(woken))
                                      : co4__done(co4, err);
}

static CO4__NOINLINE int pauses_any(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg)
{
    return pauses(co4, mb, kind, msg, mb->ring.elem_size);
}

static int op_pause_until(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg, int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return pauses_any(co4, mb, kind, msg);
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    int err = op_try(mb, kind, msg);
    if (!must_wait(err) || deadline == CO4_NOW)
        return co4__done(co4, err);
    if (co4_now() >= deadline)
        return co4__done(co4, CO4_ETIMEDOUT);
    struct co4__timer *timer = co4__timer_create(co4__task_of(co4), deadline);
    if (!timer)
        return co4__done(co4, CO4_ENOMEM);
    struct co4__waiter *woken;
    co4__lock_take(&mb->queues[0].lock);
    err = now_locked(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, co4__mailbox_queue(mb, (unsigned)kind), (unsigned)kind, msg, timer);
        wake(woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->queues[0].lock);
    co4__pool_drop(timer, sizeof *timer);
    wake(woken);
    return co4__done(co4, err);
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
        co4__blocker_queue(&b, co4__mailbox_queue(mb, (unsigned)kind), (unsigned)kind, msg);
        wake(woken);
        err = co4__blocker_wait(&b, deadline, NULL);
    } else {
        co4__lock_give(&mb->queues[0].lock);
        wake(woken);
    }
    co4__blocker_fini(&b);
    return err;
}

#define IN(msg) ((void *)(uintptr_t)(msg)) /* a send only reads it */

/* Compares 32 bits, which is one instruction. A size that is larger by 4 GiB does no harm: the copy
 * has the mailbox's size. */
static CO4__ALWAYS_INLINE bool takes(const co4_mailbox *mb, const void *msg, size_t size)
{
    return mb && msg && (uint32_t)size == mb->ring.elem_size;
}

int co4_abi_send(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size)
{
    return takes(mb, msg, size) ? pauses_any(co4, mb, CO4__WAIT_SEND, IN(msg))
                                : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size)
{
    return takes(mb, out, size) ? pauses_any(co4, mb, CO4__WAIT_RECEIVE, out)
                                : co4__done(co4, CO4_EINVAL);
}

/* These end in tail calls, so that they save no registers. */
int co4_abi_send_4(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(takes(mb, msg, 4)) ? pauses(co4, mb, CO4__WAIT_SEND, IN(msg), 4)
                                          : co4__done(co4, CO4_EINVAL);
}

int co4_abi_send_8(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return CO4__LIKELY(takes(mb, msg, 8)) ? pauses(co4, mb, CO4__WAIT_SEND, IN(msg), 8)
                                          : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive_4(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(takes(mb, out, 4)) ? pauses(co4, mb, CO4__WAIT_RECEIVE, out, 4)
                                          : co4__done(co4, CO4_EINVAL);
}

int co4_abi_receive_8(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return CO4__LIKELY(takes(mb, out, 8)) ? pauses(co4, mb, CO4__WAIT_RECEIVE, out, 8)
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
    int events = mb->closed ? 0 : CO4_MAILBOX_CLOSED;
    mb->closed = true;
    mb->slow |= CO4__SLOW;
    co4__mailbox_end_waits(mb, &woken);
    co4__mailbox_tell(mb, events, &woken);
    co4__lock_give(&mb->queues[0].lock);
    wake(woken.head);
    return CO4_OK;
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->queues[0].lock);
    size_t n = co4__mailbox_count(mb);
    co4__lock_give(&mb->queues[0].lock);
    return n;
}

size_t co4_mailbox_capacity(const co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock *lock = (co4__lock *)(uintptr_t)&mb->queues[0].lock;
    co4__lock_take(lock);
    size_t capacity = mb->capacity;
    co4__lock_give(lock);
    return capacity;
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
