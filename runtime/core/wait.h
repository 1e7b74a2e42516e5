/* wait.h - wait queues, claims, listeners among the waiters, threads that block. wait.c explains
 * the protocol. */
#ifndef CO4_WAIT_INTERNAL_H
#define CO4_WAIT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/task.h"
#include "platform/lock.h"

struct co4__timer;
struct co4__timers;

/* What a wait queue guards, if it is more than a list. `has_left` is called for waiters that leave
 * such a queue without having been admitted. */
enum co4__gate {
    CO4__GATE_NONE,
    CO4__GATE_RWLOCK,    /* waiters after it may be admitted then */
    CO4__GATE_ROUNDS,    /* its round may have ended before */
    CO4__GATE_DESCRIPTOR /* it is counted */
};

struct co4__wait_queue;

/* Functions of sched/ and sync/ that core calls. modules.c fills the table. */
struct co4__wait_hooks {
    /* Wakes a task whose result is set and that is in no list. */
    void (*wake)(co4_task *t);
    struct co4__timers *(*timers_of)(struct co4__worker *w);
    /* caller.h: the stack of the thread's caller ends at `called_at`. */
    void (*runs_look)(const char *called_at);
    /* t runs: if a longjmp has skipped runs inside its step, removes them. */
    void (*runs_left_by)(const co4_task *t);
    /* Returns the root frame of a co4_run whose result is wide, or NULL. That frame is on the
     * caller's stack and is never freed. */
    const co4_frame *(*run_root)(const co4_fiber *main);
    /* Called under the lock: t, claimed elsewhere, has left a wait queue with a gate. Adds the
     * tasks to be woken to `woken`. True: the event for which t waited had come before. */
    bool (*has_left)(struct co4__wait_queue *wait_queue, co4_task *t, struct co4__list *woken);
    /* Returns whether a thread that blocks until this task ends waits for a runtime that no other
     * thread drives. */
    bool (*is_undriven)(const co4_task *t);
    /* The deadline of a timer's listener has come. */
    void (*listener_is_due)(struct co4__timer *n, int64_t now);
};

extern const struct co4__wait_hooks co4__wait_hooks;

/* A wait queue: the first field of mailboxes, join buckets and all other objects with waiters. */
struct co4__wait_queue {
    co4__lock lock;           /* guards the whole object */
    uint8_t gate;             /* enum co4__gate: what a leaving waiter causes */
    bool second;              /* it is that of a struct co4__second_queue; constant */
    uint16_t inside;          /* threads that have released the lock, and will take it again */
    struct co4__list waiters; /* first in, first out; some may be claimed */
};

/* A second wait queue of an object. The lock of the first one guards both. */
struct co4__second_queue {
    struct co4__wait_queue wait_queue;
    struct co4__wait_queue *first; /* constant */
};

/* Returns the wait queue whose lock guards p. */
static inline struct co4__wait_queue *co4__wait_queue_first(struct co4__wait_queue *p)
{
    return CO4__UNLIKELY(p->second) ? ((struct co4__second_queue *)(void *)p)->first : p;
}

/* Returns whether the task has to return CO4_ECANCELED now. Only the task itself calls it. */
static inline bool co4__is_cancelled(const co4_task *t)
{
    return CO4__UNLIKELY(atomic_load_explicit(&((co4_task *)(uintptr_t)t)->cancel,
                                              memory_order_relaxed) != 0) &&
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
void co4__wait_queue_yield(struct co4__wait_queue *p);

/* Called for each waiter that is removed from a queue in which no waiter can queue any more. Yields
 * the lock after each CO4__BATCH waiters. True: it was released, and the list may have changed. */
static inline bool co4__wait_queue_may_yield(struct co4__wait_queue *p, unsigned *taken)
{
    if (CO4__LIKELY(++*taken % CO4__BATCH != 0))
        return false;
    co4__wait_queue_yield(p);
    return true;
}

/* The part of a listener that is in the wait queue. */
static inline co4_task *co4__node_of(co4_listener *l)
{
    return (co4_task *)(void *)l->space;
}

static inline co4_listener *co4__listener_of(co4_task *node)
{
    return (co4_listener *)(void *)((char *)node - offsetof(co4_listener, space));
}

/* Queues t at p, or nowhere if that is NULL. The release pairs with the acquire of the claim. */
static inline void co4__queue_waiter(co4_task *t, struct co4__wait_queue *p, unsigned kind,
                                     void *buffer, void *where)
{
    struct co4__waiting *w = co4__waiting(t);
    w->buffer = buffer;
    w->where = where;
    if (p)
        co4__list_push(&p->waiters, t);
    atomic_store_explicit(&t->wait, (uint8_t)(kind | CO4__QUEUED), memory_order_release);
}

/* Queues the calling task at `p`, whose lock the caller holds, and releases the lock. If p is NULL,
 * the task has only a timer. The fiber pauses. A cancellation from now on ends the wait. Returns
 * CO4_OK, which primitives return, too. Takes over the timer. */
int co4__wait(co4_fiber *co4, struct co4__wait_queue *p, unsigned kind, void *buffer,
              struct co4__timer *timer);
/* Like co4__wait(), in a section, which it ends, instead of under the lock. */
static inline int co4__wait_lockless(struct co4__local *here, co4_fiber *co4,
                                     struct co4__wait_queue *p, unsigned kind, void *buffer)
{
    if (CO4__UNLIKELY(co4->shields != 0))
        kind |= CO4__SHIELDED;
    co4__queue_waiter(co4__task_of(co4), p, kind, buffer, p);
    co4__section_end(here);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}
/* Like co4__wait(), for a thread. */
void co4__wait_thread(co4_task *blocker, struct co4__wait_queue *p, unsigned kind, void *buffer);

bool co4__claim_slow(co4_task *t, uint8_t *was);

/* True: the caller has ended the wait of t and owns its wake. t stays in its wait queue. */
static inline bool co4__claim(co4_task *t, uint8_t *was)
{
    *was = atomic_load_explicit(&t->wait, memory_order_relaxed);
    if (CO4__LIKELY((*was & CO4__QUEUED) != 0 &&
                    atomic_compare_exchange_strong_explicit(
                        &t->wait, was, CO4__WAIT_NONE, memory_order_acq_rel, memory_order_relaxed)))
        return true;
    return (*was & CO4__BUSY) != 0 && co4__claim_slow(t, was);
}

void co4__wait_timer_cancel(co4_task *t);

/* Called under the lock of p. Claims t, removes it from the queue, and frees its timer. False:
 * another thread has claimed it. */
static inline bool co4__take(struct co4__wait_queue *p, co4_task *t)
{
    uint8_t was;
    if (!co4__claim(t, &was))
        return false;
    co4__list_remove(&p->waiters, t);
    if (CO4__UNLIKELY(was & CO4__TIMED))
        co4__wait_timer_cancel(t);
    return true;
}

/* Returns whether co4__take_first() may take t, the first waiter of a queue, in a section. It is a
 * task or a thread that waits for `kind`, has no timer, and is not about to be claimed. */
static inline bool co4__is_plain_waiter(const co4_task *t, unsigned kind)
{
    return (atomic_load_explicit(&t->wait, memory_order_relaxed) &
            (CO4__WHAT_FOR | CO4__QUEUED | CO4__TIMED | CO4__BUSY)) == (kind | CO4__QUEUED) &&
           t->fiber.kind != CO4__KIND_LISTENER;
}

/* Like co4__take(), in a section, for such a waiter. */
static inline void co4__take_first(struct co4__wait_queue *p, co4_task *t)
{
    atomic_store_explicit(&t->wait, CO4__WAIT_NONE, memory_order_relaxed);
    p->waiters.head = t->next;
    if (t->next)
        t->next->prev = NULL;
    else
        p->waiters.tail = NULL;
}

/* A listener among the waiters, for sources. add, remove: under the lock. drop: without the lock,
 * for a listener that may have been removed before. True: it was still queued. */
void co4__node_add(struct co4__wait_queue *p, co4_listener *l, unsigned kind);
void co4__node_remove(struct co4__wait_queue *p, co4_task *node);
bool co4__node_drop(struct co4__wait_queue *p, co4_listener *l);
/* Called without the lock: returns whether the listener is queued. If not, the queue may be
 * freed. */
bool co4__node_is_queued(co4_listener *l);
/* Removes a task that the caller has claimed from its wait queue and its heap. The caller holds no
 * lock. True: the event for which it waited had come. */
bool co4__unqueue(co4_task *t, uint8_t was);
/* Claims the task and removes it. False: it does not wait, or another thread has claimed it. */
bool co4__leave(co4_task *t);
/* Removes a claimed task from this wait queue, and admits others if its gate allows that. The
 * caller holds no lock. True: the event for which it waited had come before. */
bool co4__wait_queue_left(struct co4__wait_queue *p, co4_task *t);
/* Called under the lock, which they release for moments. settle waits until no thread is inside.
 * clear also waits until all claimed waiters have left. False: others still wait. */
void co4__wait_queue_settle(struct co4__wait_queue *p);
bool co4__wait_queue_clear(struct co4__wait_queue *p);

/* A blocked thread among the waiters. */
struct co4__blocker {
    co4_task task; /* only fiber.kind, fiber.result, next, prev and wait are used */
    struct co4__parker parker;
};

int co4__blocker_init(struct co4__blocker *b);
void co4__blocker_fini(struct co4__blocker *b);
/* Blocks until woken, then returns the result. After the deadline, or if nothing can wake the
 * thread, it returns a negative code; the thread is still queued. */
int co4__blocker_wait(struct co4__blocker *b, int64_t deadline, bool *woken);

#endif
