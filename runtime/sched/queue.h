/* queue.h - a worker's queue. The code of each step is inline here. queue.c explains the
 * protocol. */
#ifndef CO4_QUEUE_INTERNAL_H
#define CO4_QUEUE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "sched/lanes.h"

struct co4__queue {
    /* Only the owner accesses these. */
    struct co4__lanes lanes; /* the tasks that are ready */
    uint32_t ninner;         /* tasks in it, and the one that runs */
    uint32_t published;      /* the value of ninner in `word`, … */
    uint32_t least, most;    /* … precise enough while least <= ninner <= most */

    _Atomic uint64_t received; /* tasks taken from the inbox; others read it */

    char apart[64];         /* keeps the fields of other threads off the owner's cache line */
    _Atomic(co4_task *) rx; /* inbox, newest first; any thread pushes, the owner takes all */
    _Atomic uint64_t word;  /* shared | monitored | local | notified */
};

void co4__queue_init(struct co4__queue *q);
/* Thread-safe. PUSH_WAKE: the caller has to wake the owner. PUSH_CALL: it calls the monitor. */
enum co4__push { CO4__PUSHED, CO4__PUSH_WAKE, CO4__PUSH_CALL };
enum co4__push co4__queue_push_rx(struct co4__queue *q, co4_task *t);
/* Like push_rx, for n tasks, linked by `next` from the newest to the oldest. */
enum co4__push co4__queue_push_several(struct co4__queue *q, co4_task *newest, co4_task *oldest,
                                       uint32_t n);
CO4__PRIVATE void co4__queue_drain(struct co4__queue *q); /* owner: moves the inbox to the lanes */
bool co4__queue_sleep(struct co4__queue *q);              /* owner; false: there are tasks */
bool co4__queue_unsleep(struct co4__queue *q);            /* owner; false: a waker was first */
bool co4__queue_interrupt(struct co4__queue *q);          /* any thread; true: wake the owner */
bool co4__queue_pushes_done(const struct co4__queue *q);  /* no push is half done */
/* Called by the owner, whose lanes are joined: the k-th task is fetched next. */
CO4__PRIVATE void co4__queue_prefer(struct co4__queue *q, unsigned k);
uint32_t co4__queue_load(const struct co4__queue *q); /* any thread */
co4_task *co4__queue_take_rx(struct co4__queue *q);   /* any thread: takes the whole inbox */
bool co4__queue_monitor(struct co4__queue *q);        /* true: it was set before */
bool co4__queue_unmonitor(struct co4__queue *q);      /* monitor; the same */

bool co4__queue_sleeps(const struct co4__queue *q); /* any thread: whether the owner sleeps */

static inline bool co4__queue_has_rx(const struct co4__queue *q) /* any thread */
{
    return atomic_load(&((struct co4__queue *)(uintptr_t)q)->rx) != NULL;
}

/* ---- functions for the owner ---- */

#define CO4__LOCAL_SHIFT 1

/* Publishes `ninner` to other threads. */
CO4__PRIVATE void co4__queue_publish(struct co4__queue *q);

static inline bool co4__queue_any(const struct co4__queue *q)
{
    return co4__lanes_any(&q->lanes);
}

static inline void co4__queue_push(struct co4__queue *q, co4_task *t)
{
    co4__lanes_append(&q->lanes, t);
    if (CO4__UNLIKELY(++q->ninner > q->most))
        co4__queue_publish(q);
}

/* t has yielded. */
static inline void co4__queue_yield(struct co4__queue *q, co4_task *t)
{
    co4__lanes_yield(&q->lanes, t);
    if (CO4__UNLIKELY(++q->ninner > q->most))
        co4__queue_publish(q);
}

/* Returns NULL if there is no task. */
static inline co4_task *co4__queue_fetch(struct co4__queue *q)
{
    co4_task *t = co4__lanes_next(&q->lanes);
    if (CO4__LIKELY(t != NULL))
        return t;
    co4__queue_drain(q);
    return co4__lanes_next(&q->lanes);
}

/* The task that runs has woken t. The next look publishes that. */
static inline void co4__queue_push_unpublished(struct co4__queue *q, co4_task *t)
{
    co4__lanes_append(&q->lanes, t);
    q->ninner++;
}

/* The step of the fetched task has ended. */
static inline void co4__queue_done(struct co4__queue *q)
{
    if (CO4__UNLIKELY(--q->ninner == 0))
        co4__queue_publish(q);
}

static inline void co4__queue_look(struct co4__queue *q)
{
    if (q->ninner < q->least || q->ninner > q->most)
        co4__queue_publish(q);
}

/* The owner has removed n ready tasks. */
static inline void co4__queue_gone(struct co4__queue *q, uint32_t n)
{
    q->ninner -= n;
    co4__queue_publish(q);
}

#endif
