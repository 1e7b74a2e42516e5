/* lanes.h - the ready tasks of a worker, in three lists. lanes.c explains their order. Only the
 * owner accesses them. */
#ifndef CO4_LANES_INTERNAL_H
#define CO4_LANES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"

#define CO4__TURN 16 /* tasks from `head` in a turn, at most */

struct co4__lane {
    co4_task *head, *tail;
    uint32_t n;
};

/* The counters are numbers of tasks that have left the first list since the beginning; they wrap:
 *
 *     began             now                       passed          pushed
 *       |  have run in   |  may run in this turn:   |  later turns  |
 *       |  this turn     |  left + held             |               |
 *     --+----------------+--------------------------+---------------+--->
 *
 * `now` is not stored: it is passed - left - held. So a task that is taken costs one decrement of
 * `left`. While arrived tasks go first, `left` is 0 and `held` has its value: then
 * co4__lanes_next() leaves the choice to co4__lanes_choose(). */
struct co4__lanes {
    co4_task *head, *tail;    /* made ready by this worker: spawned or woken */
    uint32_t left, held;      /* see above, like `pushed`, `passed` and `began` */
    uint32_t pushed;          /* tasks that have entered this list */
    uint32_t passed;          /* those that will have left it at the end of the turn */
    uint32_t fresh;           /* arrived tasks that may still go first in this turn */
    uint32_t turns;           /* that have begun */
    uint32_t began;           /* tasks that had left the first list when this turn began */
    bool some_arrived;        /* an arrived task has run in this turn */
    struct co4__lane arrived; /* made ready by other threads, timers and events */
    struct co4__lane yielded;
};

static inline bool co4__lanes_any(const struct co4__lanes *l)
{
    return l->head || l->yielded.head || l->arrived.head;
}

static inline void co4__lanes_append(struct co4__lanes *l, co4_task *t)
{
    t->next = NULL;
    if (l->head)
        l->tail->next = t;
    else
        l->head = t;
    l->tail = t;
    l->pushed++;
}

/* t has yielded. */
void co4__lanes_yield(struct co4__lanes *l, co4_task *t);
/* Tasks from another thread, linked from first to last. */
void co4__lanes_arrive(struct co4__lanes *l, co4_task *first, co4_task *last, uint32_t n);
/* The newest n tasks of the list `head`, behind `last` (NULL: all of them), have been woken by a
 * timer or an event. */
void co4__lanes_woken(struct co4__lanes *l, co4_task *last, uint32_t n);
/* Removes up to n tasks, without pinned ones, linked from the newest to the oldest. Returns their
 * number. */
uint32_t co4__lanes_part(struct co4__lanes *l, uint32_t n, co4_task **newest, co4_task **oldest);
/* Moves all tasks into the list `head`. They run before the tasks that are woken from now on. */
CO4__PRIVATE void co4__lanes_join(struct co4__lanes *l);
/* The turn has taken enough time. */
void co4__lanes_cut(struct co4__lanes *l);
/* The next task, or NULL. */
CO4__PRIVATE co4_task *co4__lanes_choose(struct co4__lanes *l);

static inline co4_task *co4__lanes_next(struct co4__lanes *l)
{
    co4_task *t = l->head;
    if (CO4__UNLIKELY(!t || l->left == 0))
        return co4__lanes_choose(l);
    l->left--;
    l->head = t->next;
    return t;
}

#endif
