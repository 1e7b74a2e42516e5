/* wait.h - where tasks wait: places, claims, listeners among the waiters, threads that block. The
 * story is in wait.c. */
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

/* What a place is beside a list. `has_left` is called for waiters that leave a gate without having
 * been let in. */
enum co4__gate {
    CO4__GATE_NONE,
    CO4__GATE_RWLOCK, /* those behind it may come in then */
    CO4__GATE_ROUNDS  /* its round may have been over before */
};

struct co4__wait_queue;

/* What sched/ and sync/ do for core. modules.c fills the table. */
struct co4__wait_hooks {
    /* The task's result is set, and it is in no list. */
    void (*wake)(co4_task *t);
    struct co4__timers *(*timers_of)(struct co4__worker *w);
    /* caller.h: the stack of the thread's caller ends here. */
    void (*runs_look)(const char *called_at);
    /* The root frame of a co4_run whose result is wide: it stands on the caller's stack, and is
     * never given back. Or NULL. */
    const co4_frame *(*run_root)(const co4_fiber *main);
    /* Under the lock: t, claimed elsewhere, has left the list of a place with a gate. Tasks to be
     * woken go to `woken`. True: what it waited for had come before. */
    bool (*has_left)(struct co4__wait_queue *wait_queue, co4_task *t, struct co4__list *woken);
    /* The time of a listener at a timer has come. */
    void (*listener_is_due)(struct co4__timer *n, int64_t now);
};

extern const struct co4__wait_hooks co4__wait_hooks;

/* Where tasks wait: the head of mailboxes, join buckets and all else that has waiters. */
struct co4__wait_queue {
    co4__lock lock;           /* guards all of what it is the head of */
    uint8_t gate;             /* enum co4__gate: what it means that a waiter leaves */
    bool second;              /* that of a struct co4__second_queue; constant */
    uint16_t inside;          /* threads that have let the lock go, and will take it again */
    struct co4__list waiters; /* first come, first served; some may have been claimed */
};

/* A second list of what has one already; the lock of that place guards both. */
struct co4__second_queue {
    struct co4__wait_queue wait_queue;
    struct co4__wait_queue *first; /* constant */
};

/* The place whose lock guards p. */
static inline struct co4__wait_queue *co4__wait_queue_first(struct co4__wait_queue *p)
{
    return CO4__UNLIKELY(p->second) ? ((struct co4__second_queue *)(void *)p)->first : p;
}

/* Is the task to be told that it was cancelled? For the task itself. */
static inline bool co4__is_cancelled(const co4_task *t)
{
    return CO4__UNLIKELY(atomic_load_explicit(&((co4_task *)(uintptr_t)t)->cancel,
                                              memory_order_relaxed) != 0) &&
           t->fiber.shields == 0;
}

#ifndef CO4__BATCH    /* tests make it less */
#define CO4__BATCH 64 /* waiters that are taken under one hold of a lock */
#endif

/* In the middle of an operation the thread does what may not be done under the lock, and takes it
 * again; or others get it if they wait for it. The place does not go away meanwhile: a thread that
 * would take it away, or let another do so, waits (co4__wait_queue_settle). All else may change. */
void co4__wait_queue_unlock(struct co4__wait_queue *p);
void co4__wait_queue_relock(struct co4__wait_queue *p);
void co4__wait_queue_yield(struct co4__wait_queue *p);

/* After each of those that are taken from a place for good, so that nobody lists himself there any
 * more: now and then others get the lock. True: it was let go, and the list is another. */
static inline bool co4__wait_queue_may_yield(struct co4__wait_queue *p, unsigned *taken)
{
    if (CO4__LIKELY(++*taken % CO4__BATCH != 0))
        return false;
    co4__wait_queue_yield(p);
    return true;
}

/* What of a listener stands there. */
static inline co4_task *co4__node_of(co4_listener *l)
{
    return (co4_task *)(void *)l->space;
}

static inline co4_listener *co4__listener_of(co4_task *node)
{
    return (co4_listener *)(void *)((char *)node - offsetof(co4_listener, space));
}

/* Lists the task that calls at `p`, whose lock is held, and gives the lock up; NULL: nowhere, it
 * has a timer only. The fiber pauses, and will be told if it has been cancelled meanwhile. Returns
 * CO4_OK, for primitives to end with. The timer is taken over. */
int co4__wait(co4_fiber *co4, struct co4__wait_queue *p, unsigned kind, void *buffer,
              struct co4__timer *timer);
/* The same without a lock, in a section of the exclusive owner, which it ends. */
static inline int co4__wait_exclusive(struct co4__local *here, co4_fiber *co4,
                                      struct co4__wait_queue *p, unsigned kind, void *buffer)
{
    co4_task *t = co4__task_of(co4);
    struct co4__waiting *w = co4__waiting(t);
    if (CO4__UNLIKELY(co4->shields != 0))
        kind |= CO4__SHIELDED;
    w->buffer = buffer;
    w->where = p;
    co4__list_push(&p->waiters, t);
    atomic_store_explicit(&t->wait, (uint8_t)(kind | CO4__QUEUED), memory_order_release);
    co4__exclusive_end(here);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}
/* The same for a thread. */
void co4__wait_thread(co4_task *blocker, struct co4__wait_queue *p, unsigned kind, void *buffer);

bool co4__claim_slow(co4_task *t, uint8_t *was);

/* True: t waited, no longer does, and its wake is the caller's. It still stands where it stood. */
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

/* The place's, under its lock: claims t, takes it off the list and its timer out of the heap.
 * False: it is another's. */
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

/* A listener among a place's waiters, for sources. add, remove: under the lock. drop: without it,
 * when it may have been removed before, or be there still: true. */
void co4__node_add(struct co4__wait_queue *p, co4_listener *l, unsigned kind);
void co4__node_remove(struct co4__wait_queue *p, co4_task *node);
bool co4__node_drop(struct co4__wait_queue *p, co4_listener *l);
/* Is it in a list? If not, the place may be gone. Without the lock. */
bool co4__node_is_queued(co4_listener *l);
/* For those who have claimed it elsewhere: out of wherever it stands. No lock is held. True: what
 * it waited for had come. */
bool co4__unqueue(co4_task *t, uint8_t was);
/* Claim and unlist. False: it does not wait, or another was first. */
bool co4__leave(co4_task *t);
/* Claimed elsewhere: off the list of this place, and what else that leads to. No lock is held.
 * True: what it waited for had come before. */
bool co4__wait_queue_left(struct co4__wait_queue *p, co4_task *t);
/* Under the lock, which is let go for moments. Until no thread is inside. The same, and until those
 * claimed elsewhere have left: false, if others wait still. */
void co4__wait_queue_settle(struct co4__wait_queue *p);
bool co4__wait_queue_clear(struct co4__wait_queue *p);

/* A blocked thread among the waiters. */
struct co4__blocker {
    co4_task task; /* only fiber.kind, fiber.result, next, prev and wait are used */
    struct co4__parker parker;
};

int co4__blocker_init(struct co4__blocker *b);
void co4__blocker_fini(struct co4__blocker *b);
/* Blocks until woken, then returns the result; a negative code when it gave up, still in the list.
 */
int co4__blocker_wait(struct co4__blocker *b, int64_t deadline, bool *woken);

#endif
