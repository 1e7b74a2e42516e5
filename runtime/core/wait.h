/* wait.h - waiters: what a task, a blocked thread and a listener have; their queues and claims.
 * wait.c explains the protocol. */
#ifndef CO4_WAIT_INTERNAL_H
#define CO4_WAIT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "platform/lock.h"

struct co4__timer;
struct co4__timers;

/* The values of a waiter's `claim`: its state, how it waits, and for what. See wait.c. */
enum co4__wait {
    CO4__WAIT_NONE = 0, /* claimed, or not waiting */
    CO4__QUEUED = 1,    /* the thread that sets it to NONE owns the wake */
    CO4__TIMED = 2,     /* it also has a timer: `where` points to it */
    CO4__SHIELDED = 4,  /* a cancellation does not end the wait */
    /* what it waits for; only shown to users */
    CO4__WAIT_TIMER = 1 << 3,
    CO4__WAIT_RECEIVE = 2 << 3,
    CO4__WAIT_SEND = 3 << 3,
    CO4__WAIT_JOIN = 4 << 3,
    CO4__WAIT_SELECT = 5 << 3,
    CO4__WAIT_READ = 6 << 3,
    CO4__WAIT_WRITE = 7 << 3, /* and all other locks */
    CO4__WHAT_FOR = 7 << 3,
    CO4__BUSY = 1 << 6,   /* a source is between acquire and complete (source.c); not QUEUED */
    CO4__NO_TASK = 1 << 7 /* at a mailbox: a thread or a listener */
};

static inline co4_task *co4__task_of_waiter(struct co4__waiter *w)
{
    return (co4_task *)(void *)((char *)w - offsetof(co4_task, waiter));
}

static inline struct co4__waiter *co4__waiter_of(co4_listener *l)
{
    return &l->co4_private.waiter;
}

static inline co4_listener *co4__listener_of(struct co4__waiter *w)
{
    return (co4_listener *)(void *)((char *)w - offsetof(co4_listener, co4_private.waiter));
}

/* What a waiter waits for: CO4__WAIT_RECEIVE and others; CO4__WAIT_NONE if it is claimed. */
static inline unsigned co4__waits_for(const struct co4__waiter *w)
{
    return atomic_load_explicit(&((struct co4__waiter *)(uintptr_t)w)->claim,
                                memory_order_relaxed) &
           CO4__WHAT_FOR;
}

/* ---- lists ---- */

struct co4__list {
    struct co4__waiter *head, *tail;
};

static inline void co4__list_push(struct co4__list *l, struct co4__waiter *w)
{
    w->next = NULL;
    w->prev = l->tail;
    if (l->tail)
        l->tail->next = w;
    else
        l->head = w;
    l->tail = w;
}

static inline void co4__list_insert_after(struct co4__list *l, struct co4__waiter *before,
                                          struct co4__waiter *w)
{
    w->prev = before;
    w->next = before->next;
    if (w->next)
        w->next->prev = w;
    else
        l->tail = w;
    before->next = w;
}

static inline void co4__list_remove(struct co4__list *l, struct co4__waiter *w)
{
    if (w->prev)
        w->prev->next = w->next;
    else
        l->head = w->next;
    if (w->next)
        w->next->prev = w->prev;
    else
        l->tail = w->prev;
}

/* Appends all of `from` to `to`. */
static inline void co4__list_append(struct co4__list *to, struct co4__list *from)
{
    if (!from->head)
        return;
    from->head->prev = to->tail;
    if (to->tail)
        to->tail->next = from->head;
    else
        to->head = from->head;
    to->tail = from->tail;
    from->head = from->tail = NULL;
}

/* Returns whether w is at an end of the list. */
static inline bool co4__list_ends_with(const struct co4__list *l, const struct co4__waiter *w)
{
    return l->head == w || l->tail == w;
}

/* Wakes claimed waiters that are in no other list and have their results. Each may be gone once it
 * is woken. */
CO4__PRIVATE void co4__list_wake(const struct co4__list *woken);

/* ---- wakes ---- */

/* sched/: wakes a waiter that is claimed, has its result, and is in no list. */
void co4__wake(struct co4__waiter *w);
/* The same for a task. Returns co4__done(co4, CO4_OK). */
int co4__task_wake_done(co4_fiber *co4, co4_task *t);

/* ---- queues ---- */

/* What a wait queue guards, if it is more than a list. `has_left` is called for waiters that leave
 * such a queue without having been admitted. */
enum co4__gate {
    CO4__GATE_NONE,
    CO4__GATE_RWLOCK,     /* waiters after it may be admitted then */
    CO4__GATE_ROUNDS,     /* its round may have ended before */
    CO4__GATE_DESCRIPTOR, /* it is counted */
    CO4__GATES
};

struct co4__wait_queue;

/* Functions of sched/ and sync/ that core calls. modules.c fills the table. */
struct co4__wait_hooks {
    void (*wake)(struct co4__waiter *w); /* co4__wake() */
    struct co4__timers *(*timers_of)(struct co4__worker *w);
    /* caller.h: the stack of the thread's caller ends at `called_at`. */
    void (*runs_look)(const char *called_at);
    /* t runs: if a longjmp has skipped runs inside its step, removes them. */
    void (*runs_left_by)(const co4_task *t);
    /* Returns the root frame of a co4_run whose result is wide, or NULL. That frame is on the
     * caller's stack and is never freed. */
    const co4_frame *(*run_root)(const co4_fiber *main);
    /* Called under the lock: w, claimed elsewhere, has left a wait queue with a gate. Adds the
     * waiters to be woken to `woken`. True: the event for which w waited had come before. */
    bool (*has_left[CO4__GATES])(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                                 struct co4__list *woken); /* by gate */
    /* Both are NULL in a program that makes no runtime. Returns whether a thread that blocks until
     * this task ends waits for a runtime that no other thread drives; the newest started runtime,
     * or NULL. */
    bool (*is_undriven)(const co4_task *t);
    co4_runtime *(*newest)(bool *several);
    /* The deadline of a timer's listener has come. */
    void (*listener_is_due)(struct co4__timer *n, int64_t now);
};

extern const struct co4__wait_hooks co4__wait_hooks;

/* A wait queue: the first field of mailboxes, join buckets and all other objects with waiters. */
struct co4__wait_queue {
    co4__lock lock; /* guards the whole object */
    uint8_t gate;   /* enum co4__gate: what a leaving waiter causes */
    /* 1: the second of two queues in an array, which the lock of the first guards; constant. */
    uint8_t second;
    uint16_t inside;          /* threads that have released the lock, and will take it again */
    struct co4__list waiters; /* first in, first out; some may be claimed */
};

/* Returns the wait queue whose lock guards p. */
static inline struct co4__wait_queue *co4__wait_queue_first(struct co4__wait_queue *p)
{
    return p - p->second;
}

/* Returns whether the task has to return CO4_ECANCELED now. Only the task itself calls it. Of
 * CO4__CODE_CUT these bits are 0. */
static inline bool co4__is_cancelled(const co4_task *t)
{
    return CO4__UNLIKELY(
               (atomic_load_explicit(&((co4_task *)(uintptr_t)t)->cancel, memory_order_relaxed) &
                INT8_MAX) != 0) &&
           t->fiber.shields == 0;
}

/* Waiters that a thread serves each time it takes a lock. Tests make it less. */
#ifndef CO4__BATCH
#define CO4__BATCH 64
#endif

/* unlock, relock: within an operation the thread releases the lock, for work that is not allowed
 * under it, and takes it again. yield: it releases the lock for threads that wait for it. The
 * object is not freed meanwhile: a thread that is about to free it, or to allow that, waits by
 * co4__wait_queue_settle(). All other fields may change. */
void co4__wait_queue_unlock(struct co4__wait_queue *p);
void co4__wait_queue_relock(struct co4__wait_queue *p);
CO4__PRIVATE void co4__wait_queue_yield(struct co4__wait_queue *p);

/* Called for each waiter that is removed from a queue in which no waiter can queue any more. Yields
 * the lock after each CO4__BATCH waiters. True: it was released, and the list may have changed. */
static inline bool co4__wait_queue_may_yield(struct co4__wait_queue *p, unsigned *taken)
{
    if (CO4__LIKELY(++*taken % CO4__BATCH != 0))
        return false;
    co4__wait_queue_yield(p);
    return true;
}

/* Queues w at p, or nowhere if that is NULL. The release pairs with the acquire of the claim. */
static inline void co4__queue_waiter(struct co4__waiter *w, struct co4__wait_queue *p,
                                     unsigned kind, void *buffer, void *where)
{
    w->result.wait.buffer = buffer;
    w->result.wait.where = where;
    if (p)
        co4__list_push(&p->waiters, w);
    atomic_store_explicit(&w->claim, (uint8_t)(kind | CO4__QUEUED), memory_order_release);
}

/* Queues the calling task at `p`, whose lock the caller holds, and releases the lock. If p is NULL,
 * the task has only a timer. The fiber pauses. A cancellation from now on ends the wait. Returns
 * CO4_OK, which primitives return, too. Takes over the timer. */
int co4__wait(co4_fiber *co4, struct co4__wait_queue *p, unsigned kind, void *buffer,
              struct co4__timer *timer);
/* Like co4__wait(), in a section, which it ends, instead of under the lock. For a task without
 * shields. */
static inline int co4__wait_lockless(struct co4__local *here, co4_fiber *co4,
                                     struct co4__wait_queue *p, unsigned kind, void *buffer)
{
    co4__queue_waiter(&co4__task_of(co4)->waiter, p, kind, buffer, p);
    co4__section_end(here);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}
bool co4__claim_slow(struct co4__waiter *w, uint8_t *was);

/* True: the caller has ended the wait of w and owns its wake. w stays in its wait queue. */
static inline bool co4__claim(struct co4__waiter *w, uint8_t *was)
{
    *was = atomic_load_explicit(&w->claim, memory_order_relaxed);
    if (CO4__LIKELY((*was & CO4__QUEUED) != 0 && atomic_compare_exchange_strong_explicit(
                                                     &w->claim, was, CO4__WAIT_NONE,
                                                     memory_order_acq_rel, memory_order_relaxed)))
        return true;
    return (*was & CO4__BUSY) != 0 && co4__claim_slow(w, was);
}

void co4__wait_timer_cancel(struct co4__waiter *w);

/* Called under the lock of p. Claims w, removes it from the queue, and frees its timer. False:
 * another thread has claimed it. */
static inline bool co4__take(struct co4__wait_queue *p, struct co4__waiter *w)
{
    uint8_t was;
    if (!co4__claim(w, &was))
        return false;
    co4__list_remove(&p->waiters, w);
    if (CO4__UNLIKELY(was & CO4__TIMED))
        co4__wait_timer_cancel(w);
    return true;
}

/* Returns whether co4__take_first() may take w, the first waiter of a queue, in a section. It is a
 * task that waits for `kind`, has no timer, and is not about to be claimed. */
static inline bool co4__is_plain_waiter(const struct co4__waiter *w, unsigned kind)
{
    return (atomic_load_explicit(&((struct co4__waiter *)(uintptr_t)w)->claim,
                                 memory_order_relaxed) &
            (CO4__WHAT_FOR | CO4__QUEUED | CO4__TIMED | CO4__BUSY | CO4__NO_TASK)) ==
           (kind | CO4__QUEUED);
}

/* Like co4__take(), in a section, for such a waiter. */
static inline void co4__take_first(struct co4__wait_queue *p, struct co4__waiter *w)
{
    atomic_store_explicit(&w->claim, CO4__WAIT_NONE, memory_order_relaxed);
    p->waiters.head = w->next;
    if (w->next)
        w->next->prev = NULL;
    else
        p->waiters.tail = NULL;
}

/* A listener among the waiters, for sources. queue, wait_queue_remove: under the lock. drop:
 * without the lock, for a listener that may have been removed before. True: it was still queued. */
CO4__PRIVATE void co4__listener_queue(struct co4__wait_queue *p, co4_listener *l, unsigned kind,
                                      void *buffer, void *where);
CO4__PRIVATE void co4__wait_queue_remove(struct co4__wait_queue *p, struct co4__waiter *w);
CO4__PRIVATE bool co4__listener_drop(struct co4__wait_queue *p, co4_listener *l);
/* Called without the lock: returns whether the listener is queued. If not, the queue may be
 * freed. */
CO4__PRIVATE bool co4__listener_is_queued(co4_listener *l);
/* Operations of a listener that waits at one source and for nothing else. So it needs no claim: it
 * takes what it is offered, and is its own owner. */
CO4__PRIVATE int co4__listener_acquire_always(co4_listener *l, int code, const void *value);
CO4__PRIVATE void co4__listener_complete_empty(co4_listener *l, int code, const void *value);
CO4__PRIVATE void co4__listener_release_empty(co4_listener *l);
CO4__PRIVATE const void *co4__listener_is_owner(const co4_listener *l);
/* A source whose value has another size than its user says: CO4_EINVAL. */
extern CO4__PRIVATE const co4_source_ops co4__wrong_size_ops;
/* The listener is in no queue: after a refusal, drop finds nothing. */
static inline void co4__listener_unqueued(co4_listener *l)
{
    atomic_store_explicit(&co4__waiter_of(l)->claim, CO4__WAIT_NONE, memory_order_relaxed);
}
/* Removes a waiter that the caller has claimed from its wait queue and its heap. The caller holds
 * no lock. True: the event for which it waited had come. */
bool co4__unqueue(struct co4__waiter *w, uint8_t was);
/* Claims the waiter and removes it; *had, unless `had` is NULL: the event for which it waited had
 * come. False: it does not wait, or another thread has claimed it. */
bool co4__leave(struct co4__waiter *w, bool *had);
/* Removes a claimed waiter from this wait queue, and admits others if its gate allows that. The
 * caller holds no lock. True: the event for which it waited had come before. */
bool co4__wait_queue_left(struct co4__wait_queue *p, struct co4__waiter *w);
/* Both are called under the lock, which they release for moments. settle waits until no thread is
 * inside. clear also waits until all claimed waiters have left. False: others still wait. */
void co4__wait_queue_settle(struct co4__wait_queue *p);
CO4__PRIVATE bool co4__wait_queue_clear(struct co4__wait_queue *p);

#endif
