/* descriptor.c - the table of descriptors: waits at them, where they are registered, their end.
 *
 * Purpose: a call tries first. If it would block, its task waits in the queue of the descriptor's
 * direction. An event wakes one waiter, which tries again. A call that succeeds and may have left
 * something passes the turn on to the next waiter (co4__descriptor_pass). So a queue of n tasks
 * costs one wake an event, and no event is lost while a task waits. Listeners only observe: each
 * event completes all of them.
 *
 * Invariants: `events` counts the events of a direction. A call reads it before it tries. A task
 * queues only if it is still the same under the lock; otherwise it tries again. So an event between
 * the try and the wait is not lost. A read that finds a stream empty stores the number in
 * `drained`, and later reads wait without a try while the numbers are equal. `ended` switches that
 * off: after a hang-up a short read proves nothing. Records are never freed. A generation tells the
 * descriptors of one number apart, and events of an earlier generation are ignored.
 *
 * Concurrency: a call counts itself in `use` while it is inside. co4_close() sets CLOSING and ends
 * all waits. The last call inside, which may be the close, frees the number. So no call acts on
 * another file that has got the same number meanwhile. Model: tests/model/descriptor.pml. The
 * record is free before the number is: a call that comes during close() waits until it is known
 * whose the number is (attach.c). The child of a fork drops the waits of tasks that it lacks.
 *
 * Rejected: records in a hash table (a lookup for each call); waking all waiters (n wakes for one
 * event); a lock for the calls of a direction (writes of tasks may interleave in POSIX). */
#include "io/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/runtime_id.h"
#include "io/closed.h"
#include "io/ops.h"
#include "io/reactor.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/forked.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/worker.h"
#include "sync/source.h"

struct co4__words co4__descriptors;

/* ---- the table ---- */

static co4__lock making; /* guards writes to the table; a fork has it */
static unsigned chunks;  /* those from here on have never been made; likewise */

static void descriptor_init(struct co4__descriptor *d, int fd)
{
    d->fd = fd;
    d->queues[CO4__WRITING].second = 1;
    for (int i = 0; i < 2; i++) {
        d->queues[i].gate = CO4__GATE_DESCRIPTOR;
        atomic_init(&d->events[i], 1);
    }
}

/* ---- forks ---- */

/* Called under the lock after each change of the wait queue. */
static void note_queued(struct co4__descriptor *d, int direction)
{
    atomic_store_explicit(&d->has_queued[direction], d->queues[direction].waiters.head != NULL,
                          memory_order_relaxed);
}

/* Under the lock: the waits of tasks that the child does not have. */
static void forget_waits(struct co4__descriptor *d, int direction)
{
    struct co4__wait_queue *q = &d->queues[direction];
    for (struct co4__waiter *w = q->waiters.head, *next; w; w = next) {
        next = w->next;
        if (!co4__task_goes_on(co4__task_of_waiter(w)))
            co4__list_remove(&q->waiters, w);
    }
    note_queued(d, direction);
}

/* Where a thread that the child does not have would take its events, it is registered nowhere. */
static void forget_lost_tasks(struct co4__descriptor *d)
{
    const struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    atomic_fetch_and_explicit(&d->use, ~CO4__ENDING, memory_order_relaxed); /* of such a thread */
    for (int direction = 0; direction < 2; direction++)
        forget_waits(d, direction);
    bool lost = r && r->worker && !co4__worker_goes_on(r->worker);
    if (lost)
        atomic_store_explicit(&d->reactor, NULL, memory_order_relaxed);
    while (d->listeners.head && (lost || co4__forked_in_task())) /* a task that forks has none */
        co4__descriptor_unlink(d, d->listeners.head);
}

static void descriptors_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&making);
    for (unsigned i = 0; i < chunks; i++) {
        struct co4__descriptor *chunk = co4__descriptor_chunk(i);
        for (unsigned n = 0; chunk && n < CO4__DESCRIPTOR_CHUNK; n++) {
            if (how == CO4__FORK_PREPARE)
                co4__lock_take(&chunk[n].queues[0].lock);
            if (how == CO4__FORK_CHILD)
                forget_lost_tasks(&chunk[n]);
            if (how != CO4__FORK_PREPARE)
                co4__lock_give(&chunk[n].queues[0].lock);
        }
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&making);
}

static struct co4__fork_member member = { .handler = descriptors_at_fork };

struct co4__descriptor *co4__descriptor_make(int fd)
{
    unsigned n = (unsigned)fd, i = n / CO4__DESCRIPTOR_CHUNK;
    _Atomic(uintptr_t) *word = co4__words_make(&co4__descriptors, i);
    if (!word)
        return NULL;
    struct co4__descriptor *chunk = co4__alloc_for_good(CO4__DESCRIPTOR_CHUNK * sizeof *chunk),
                           *old;
    if (!chunk)
        return NULL;
    for (unsigned k = 0; k < CO4__DESCRIPTOR_CHUNK; k++)
        descriptor_init(&chunk[k], (int)(i * CO4__DESCRIPTOR_CHUNK + k));
    co4__fork_join(&member);
    co4__lock_take(&making);
    old = co4__descriptor_chunk(i);
    /* Release: pairs with the acquire in co4__descriptor_chunk(), for the contents. */
    if (!old)
        atomic_store_explicit(word, (uintptr_t)chunk, memory_order_release);
    chunks = i < chunks ? chunks : i + 1;
    co4__lock_give(&making);
    if (old) {
        co4__heap_free(chunk);
        chunk = old;
    }
    return &chunk[n % CO4__DESCRIPTOR_CHUNK];
}

/* ---- waiters ---- */

bool co4__descriptor_left(struct co4__wait_queue *p, struct co4__waiter *w, struct co4__list *woken)
{
    int direction;
    (void)w, (void)woken;
    struct co4__descriptor *d = co4__descriptor_of_queue(p, &direction);
    note_queued(d, direction);
    return false;
}

/* Called under the lock: the first waiter that no other thread has claimed, with its result. */
static struct co4__waiter *take_first(struct co4__descriptor *d, int direction, int result)
{
    struct co4__wait_queue *q = &d->queues[direction];
    for (struct co4__waiter *w = q->waiters.head, *next; w; w = next) {
        next = w->next;
        if (!co4__take(q, w))
            continue; /* it leaves the queue by itself */
        note_queued(d, direction);
        w->result.i = result;
        return w;
    }
    return NULL;
}

static int direction_of(const struct co4__waiter *w)
{
    return co4__waits_for(w) == CO4__WAIT_WRITE ? CO4__WRITING : CO4__READING;
}

void co4__descriptor_unlink(struct co4__descriptor *d, struct co4__waiter *w)
{
    co4__list_remove(&d->listeners, w);
    atomic_store_explicit(&w->claim, CO4__WAIT_NONE, memory_order_release);
}

/* Called under the lock, which it yields: completes the listeners of these directions. */
static void complete_listeners(struct co4__descriptor *d, unsigned directions, int code,
                               struct co4__list *woken)
{
    unsigned taken = 0;
    for (struct co4__waiter *w = d->listeners.head, *next; w; w = next) {
        next = w->next;
        if (!(directions >> direction_of(w) & 1))
            continue;
        co4_listener *l = co4__listener_of(w);
        int took = co4__offer(l, code, NULL);
        co4__descriptor_unlink(d, w);
        if (took)
            co4__list_push(woken, w);
        if (co4__wait_queue_may_yield(&d->queues[0], &taken))
            next = d->listeners.head;
    }
}

void co4__descriptor_end_waits(struct co4__descriptor *d, int result, int code,
                               struct co4__list *woken)
{
    unsigned taken = 0;
    struct co4__waiter *w;
    for (int direction = 0; direction < 2; direction++)
        while ((w = take_first(d, direction, result)) != NULL) {
            co4__list_push(woken, w);
            co4__wait_queue_may_yield(&d->queues[0], &taken);
        }
    complete_listeners(d, CO4__MAY_READ | CO4__MAY_WRITE, code, woken);
}

/* ---- events ---- */

/* Called under the lock. */
static void count_event(struct co4__descriptor *d, int direction)
{
    uint32_t n = atomic_load_explicit(&d->events[direction], memory_order_relaxed) + 1;
    /* Release: a call that sees the number also sees `ended`. */
    atomic_store_explicit(&d->events[direction], n ? n : 1, memory_order_release);
}

void co4__descriptor_event(int fd, uint32_t generation, unsigned what)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    struct co4__list woken = { NULL, NULL };
    if (!d)
        return;
    co4__lock_take(&d->queues[0].lock);
    if (co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed)) == generation) {
        if (what & CO4__HAS_ENDED)
            atomic_store_explicit(&d->ended, true, memory_order_relaxed);
        for (int direction = 0; direction < 2; direction++) {
            if (!(what >> direction & 1))
                continue;
            count_event(d, direction);
            struct co4__waiter *w;
            do { /* a task around this run cannot go on now: it does not keep the event */
                w = take_first(d, direction, CO4_OK);
                if (w)
                    co4__list_push(&woken, w);
            } while (CO4__UNLIKELY(w && d->queues[direction].waiters.head &&
                                   co4__task_is_outside(co4__task_of_waiter(w))));
        }
        if (CO4__UNLIKELY(d->listeners.head != NULL))
            complete_listeners(d, what, CO4_OK, &woken);
    }
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
}

void co4__descriptor_retry(struct co4__descriptor *d)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&d->queues[0].lock);
    co4__reactor_forget(d);
    count_event(d, CO4__READING); /* a call that has not queued yet tries again, too */
    count_event(d, CO4__WRITING);
    co4__descriptor_end_waits(d, CO4_OK, CO4_OK, &woken);
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
}

CO4__NOINLINE void co4__descriptor_pass_slow(struct co4__descriptor *d, int direction)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&d->queues[0].lock);
    struct co4__waiter *w = take_first(d, direction, CO4_OK);
    if (w)
        co4__list_push(&woken, w);
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
}

bool co4__descriptor_is_awaited(struct co4__descriptor *d, const co4_runtime *rt)
{
    co4__lock_take(&d->queues[0].lock);
    bool awaited = d->listeners.head != NULL;
    for (int direction = 0; direction < 2; direction++)
        for (struct co4__waiter *w = d->queues[direction].waiters.head; w && !awaited; w = w->next)
            awaited = !rt || co4__runtime_of(co4__task_of_waiter(w)) == rt;
    co4__lock_give(&d->queues[0].lock);
    return awaited;
}

/* ---- where it is registered: in one reactor, or nowhere ----
 *
 * A thread that has the lock of a descriptor may call the reactor where it is registered. For the
 * end of a reactor takes the lock of each such descriptor before it frees the reactor. */

/* A build without threads has no handlers of fork. */
unsigned co4__reactor_generation(void)
{
#ifdef __wasi__
    return 1; /* there is one process */
#elif defined(CO4__NO_THREADS)
    return (unsigned)getpid();
#else
    return co4__generation;
#endif
}

void co4__reactor_forget(struct co4__descriptor *d)
{
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    if (!r)
        return;
    /* A child of fork shares the driver with its parent, whose registration this is. */
    if (r->generation == co4__reactor_generation())
        r->driver->remove(r, d->fd);
    /* Release: both pair with co4__reactor_each(). The reactor may end after them. */
    atomic_fetch_sub_explicit(&r->registered, 1, memory_order_release);
    atomic_store_explicit(&d->reactor, NULL, memory_order_release);
}

atomic_bool co4__some_driver_arms;

/* Relaxed: what has registered the descriptor, under its lock, came after the driver. */
void co4__reactor_arm(struct co4__descriptor *d, short events)
{
    if (CO4__LIKELY(!atomic_load_explicit(&co4__some_driver_arms, memory_order_relaxed)))
        return;
    co4__lock_take(&d->queues[0].lock);
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    if (r && r->driver->arm)
        r->driver->arm(r, d->fd, events);
    co4__lock_give(&d->queues[0].lock);
}

bool co4__reactor_each(struct co4__reactor *r,
                       bool (*each)(struct co4__reactor *r, struct co4__descriptor *d))
{
    co4__lock_take(&r->lock);
    /* Acquire, here and below: pairs with co4__reactor_forget(). */
    bool any = atomic_load_explicit(&r->registered, memory_order_acquire) > 0;
    int fd = r->lowest, last = r->highest;
    co4__lock_give(&r->lock);
    for (; any && fd <= last; fd++) {
        struct co4__descriptor *d = co4__descriptor_at(fd);
        if (!d)
            fd |= CO4__DESCRIPTOR_CHUNK - 1; /* the last one of this chunk */
        else if (atomic_load_explicit(&d->reactor, memory_order_acquire) == r && !each(r, d))
            return false;
    }
    return true;
}

bool co4__reactor_has(struct co4__descriptor *d, uint32_t generation, bool *is_known)
{
    co4__lock_take(&d->queues[0].lock);
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    /* A child of fork shares the driver with its parent. */
    *is_known = r && r->generation == co4__reactor_generation() && r->driver->has;
    bool has = *is_known && r->driver->has(r, d->fd, generation);
    co4__lock_give(&d->queues[0].lock);
    return has;
}

/* ---- the end: the last call ---- */

/* close() of its number has returned. `generation`: when it began. */
static void end_closing(struct co4__descriptor *d, uint32_t generation)
{
    /* Release: pairs with co4__descriptor_settled(). */
    uint64_t use = atomic_fetch_and_explicit(&d->use, ~CO4__ENDING, memory_order_release);
    if (CO4__UNLIKELY(co4__generation_of(use) != generation))
        co4__descriptor_retry(d);
}

/* Between the last call's leave and this, another call may have come, seen CLOSING, and left, so
 * that it is here, too: one of them ends the descriptor. */
static bool may_close(struct co4__descriptor *d, uint64_t *use)
{
    *use = atomic_load_explicit(&d->use, memory_order_relaxed);
    do
        if ((*use & (CO4__CLOSING | CO4__CALLS)) != CO4__CLOSING)
            return false;
    while (!atomic_compare_exchange_weak_explicit(
        &d->use, use, (*use | CO4__ENDING) - CO4__CLOSING + (UINT64_C(1) << CO4__GENERATION_SHIFT),
        memory_order_acq_rel, memory_order_relaxed));
    return true;
}

CO4__NOINLINE void co4__descriptor_last(struct co4__descriptor *d)
{
    int was = errno;
    uint64_t use;
    /* The number is free for others only after close(), so the record has to be free before. */
    if (!may_close(d, &use))
        return;
    if (d->ops->abandon)
        d->ops->abandon(d, co4__generation_of(use));
    close(d->fd);
    end_closing(d, co4__generation_of(use) + 1);
    co4__closed_notify();
    errno = was;
}

/* ---- the end: co4_close() ---- */

/* Returns whether it is still unattached, and marks then that close() is under way. */
static bool begin_closing(struct co4__descriptor *d, uint32_t *generation)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    do {
        *generation = co4__generation_of(use) + 2;
        if (*generation % 2 != 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(
        &d->use, &use, (use | CO4__ENDING) + (UINT64_C(2) << CO4__GENERATION_SHIFT),
        memory_order_acq_rel, memory_order_relaxed));
    return true;
}

/* d: NULL if no number near it was ever attached. */
static int close_unattached(struct co4__descriptor *d, int fd, uint32_t generation)
{
    int n = close(fd), was = errno;
    if (d)
        end_closing(d, generation);
    co4__closed_notify();
    errno = was;
    return n;
}

int co4__descriptor_close(int fd)
{
    uint32_t generation = 0;
    struct co4__descriptor *d = co4__descriptor_at(fd);
    struct co4__list woken = { NULL, NULL };
    if (!d)
        return close_unattached(d, fd, generation);
    while (!co4__is_attached(atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire))) {
        co4__descriptor_leave(d);
        if (begin_closing(d, &generation))
            return close_unattached(d, fd, generation);
        if (atomic_load_explicit(&d->use, memory_order_relaxed) & CO4__CLOSING) {
            errno = EBADF;
            return -1;
        }
    }
    co4__lock_take(&d->queues[0].lock);
    bool mine = !(atomic_fetch_or_explicit(&d->use, CO4__CLOSING, memory_order_acq_rel) &
                  CO4__CLOSING);
    if (mine) { /* nothing queues or registers any more: both look at CLOSING under the lock */
        co4__descriptor_end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
        co4__reactor_forget(d);
    }
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
    co4__descriptor_leave(d);
    if (mine)
        return 0;
    errno = EBADF;
    return -1;
}
