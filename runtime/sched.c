/* sched.c - which worker gets a task that has become ready.
 *
 * The least loaded of a window of `batch` workers. The window moves on with each choice (22
 * workers, batch 8: (0,8), (8,16), (16,22), (0,8), …), so a choice reads at most `batch` counters,
 * and no worker is left out for long; up to `batch` workers are all looked at. Load is what is
 * queued and what runs, so a worker in one long task does not look idle. Among equals the lowest
 * index wins, on purpose: a light load stays on few threads.
 *
 * The worker on whose thread the choice is made is a candidate besides the window, and wins when
 * its load is within a slack of the least: tasks that talk to each other stay together, where a
 * hand-over costs no other thread's wake. The slack is small (1, and an eighth of the load) and
 * capped, so it cannot hold work back from idle workers; and since the queue is a FIFO, a task
 * kept here waits its turn like any other.
 *
 * The loads are read without order: a stale one costs balance, never correctness.
 *
 * Rejected: power of two random choices (no better up to 8 workers, and not reproducible); a
 * cursor that all share (its cache line moves at each wake): each worker turns a cursor of its
 * own. */
#include "internal.h"

#define SLACK_CAP 256

void co4__sched_window(unsigned workers, unsigned batch, unsigned turn, unsigned *from,
                       unsigned *to)
{
    unsigned windows = (workers + batch - 1) / batch;
    *from = turn % windows * batch;
    *to = workers - *from < batch ? workers : *from + batch;
}

/* `self`: the worker on this thread, or NULL. */
static struct co4__worker *choose(co4_runtime *rt, struct co4__worker *self)
{
    unsigned from, to, turn = 0;
    if (rt->nworkers > rt->batch)
        turn = self ? self->rotor++
                    : atomic_fetch_add_explicit(&rt->rotor, 1, memory_order_relaxed);
    co4__sched_window(rt->nworkers, rt->batch, turn, &from, &to);
    struct co4__worker *best = &rt->workers[from];
    uint32_t least = co4__queue_load(&best->queue);
    for (unsigned i = from + 1; i < to && least > 0; i++) {
        uint32_t load = co4__queue_load(&rt->workers[i].queue);
        if (load < least) {
            least = load;
            best = &rt->workers[i];
        }
    }
    if (self) {
        uint32_t mine = self->queue.ninner;
        uint32_t slack = 1 + (mine / 8 < SLACK_CAP ? mine / 8 : SLACK_CAP);
        if (mine <= least + slack)
            return self;
    }
    return best;
}

static inline struct co4__worker *worker_here(co4_runtime *rt)
{
    struct co4__worker *w = co4__local()->worker;
    return w && w->rt == rt ? w : NULL;
}

static inline void hand(struct co4__worker *w, struct co4__worker *self, co4_task *t)
{
    if (w == self) {
        co4__queue_push(&w->queue, t);
        co4__count(&w->kept, 1);
        return;
    }
    if (self)
        co4__count(&self->sent, 1);
    if (co4__queue_push_rx(&w->queue, t))
        co4__worker_wake(w);
}

void co4__sched_place(co4_runtime *rt, co4_task *t)
{
    if (CO4__UNLIKELY(co4__watch_of(rt) != 0) && co4__watch_placed(rt, t))
        return;
    co4__sched_deliver(rt, t);
}

void co4__sched_deliver(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = worker_here(rt);
    if (rt->nworkers == 1)
        hand(&rt->workers[0], self, t);
    else
        hand(choose(rt, self), self, t);
}

void co4__sched_place_other(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = worker_here(rt);
    hand(&rt->workers[self ? (self->index + 1) % rt->nworkers : 0], self, t);
}
