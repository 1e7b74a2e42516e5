/* sched.c - a task that has become ready goes to a worker: the one that it is pinned to, or the one that the policy chooses
 * (policy.c). */
#include "internal.h"

static inline struct co4__worker *worker_here(co4_runtime *rt)
{
    struct co4__worker *w = co4__local()->worker;
    return w && w->rt == rt ? w : NULL;
}

void co4__sched_hand(struct co4__worker *w, co4_task *t)
{
    enum co4__push pushed = co4__queue_push_rx(&w->queue, t);
    if (pushed == CO4__PUSH_WAKE)
        co4__worker_wake(w);
    else if (CO4__UNLIKELY(pushed == CO4__PUSH_CALL))
        co4__guard_call(w->rt);
}

/* `self`: the worker on this thread, or NULL. */
static inline void hand(struct co4__worker *w, struct co4__worker *self, co4_task *t)
{
    if (w == self) {
        co4__queue_push(&w->queue, t);
        co4__count(&w->kept, 1);
        return;
    }
    if (self)
        co4__count(&self->sent, 1);
    co4__sched_hand(w, t);
}

static struct co4__worker *choose(co4_runtime *rt, struct co4__worker *self, co4_task *t)
{
    int pinned = co4__pinned_to(t);
    if (CO4__UNLIKELY(pinned >= 0))
        return &rt->workers[pinned];
    if (self && co4__policy_keeps(rt->options.policy, self->queue.ninner))
        return self;
    co4_placing p = { rt->nworkers, rt->batch, 0, self ? (int)self->index : -1, rt, NULL };
    p.turn = self ? self->rotor++ : atomic_fetch_add_explicit(&rt->rotor, 1, memory_order_relaxed);
    return &rt->workers[co4__policy_choose(rt->options.policy, rt->options.policy_data, &p)];
}

static inline void place(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = worker_here(rt);
    if (rt->nworkers == 1)
        hand(&rt->workers[0], self, t);
    else
        hand(choose(rt, self, t), self, t);
}

void co4__sched_place(co4_runtime *rt, co4_task *t)
{
    if (CO4__UNLIKELY(co4__watch_of(rt) != 0) && co4__watch_placed(rt, t))
        return;
    place(rt, t);
}

void co4__sched_deliver(co4_runtime *rt, co4_task *t)
{
    place(rt, t);
}

void co4__sched_again(struct co4__worker *w, co4_task *t)
{
    int pinned = w->rt->nworkers == 1 ? -1 : co4__pinned_to(t);
    hand(CO4__LIKELY(pinned < 0) ? w : &w->rt->workers[pinned], w, t);
}

void co4__sched_place_other(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = worker_here(rt);
    int pinned = co4__pinned_to(t);
    unsigned other = self ? (self->index + 1) % rt->nworkers : 0;
    hand(&rt->workers[pinned < 0 ? other : (unsigned)pinned], self, t);
}

/* ---- pins ---- */

int co4_task_pin(co4_task *task, int worker)
{
    if (!task || worker < -1)
        return CO4_EINVAL;
    const co4_runtime *rt = atomic_load_explicit(&task->rt, memory_order_relaxed);
    if (worker >= CO4__WORKERS_MAX || (rt && worker >= (int)rt->nworkers))
        return CO4_EINVAL;
    if (worker < 0 && !co4__extra_of(task))
        return CO4_OK;
    struct co4__extra *x = co4__extra_make(task);
    if (!x)
        return CO4_ENOMEM;
    atomic_store_explicit(&x->pinned, (int16_t)(worker + 1), memory_order_relaxed);
    return CO4_OK;
}

int co4_worker_here(void)
{
    const struct co4__worker *w = co4__local()->worker;
    return w ? (int)w->index : -1;
}
