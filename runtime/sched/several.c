/* several.c - places ready tasks on several workers: on the worker to which a task is pinned, or
 * which the policy chooses. Only a program that makes runtimes has this file.
 *
 * Purpose: for tasks that mostly exchange messages, a move to another thread costs more than many
 * steps: two updates of the queue's word, the cache lines of the task and its partners, perhaps a
 * wake by the system. So a worker measures the time from one operation or step to the next. While
 * it is short (SMALL_TASK), the worker keeps the tasks that it makes ready. A single long sample
 * below DISTURBED does not count: it may be a disturbance (new memory, a preempted thread), and a
 * task that moves takes along all tasks that it spawns. So communicating tasks come to one worker,
 * as if there were no other, and a million small tasks run where they were spawned. All other tasks
 * are placed one by one, by the loads of the workers.
 *
 * Work stealing: a worker without tasks asks the most loaded one, once. Then it checks its inbox
 * for a moment, and sleeps. The other worker finds the request between two steps and sends half of
 * its tasks at once, unless it keeps small tasks. Only the owner accesses its queue, so a thief has
 * to ask (Acar, Chargueraud, Rainey 2013, "Scheduling parallel programs by work stealing with
 * private deques"). `asked` is a hint. If a request is overwritten or yields no task, the asking
 * worker only sleeps. And a worker whose load is above the policy's slack sends it the next task
 * anyway. If the step of the other one lasts, the asking worker takes the tasks from its inbox,
 * unless they are small. While its steps are long, a worker puts what it makes ready there.
 *
 * Rejected: placing tasks one by one whatever their length. A tree of a million tasks then took 2.8
 * times as long on two workers as on one, and eight producers for one mailbox 2.2 times. Moving
 * small tasks in large batches (the tree still took twice as long); the length of steps as the
 * measure (a step may be hundreds of messages). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "core/runtime_id.h"
#include "core/task_extension.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/idle.h"
#include "sched/policy.h"
#include "sched/push.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

#define SMALL_TASK  200          /* ns from one operation to the next */
#define DISTURBED   (2 * CO4_MS) /* the longest disturbed sample */
#define MANY        1024         /* tasks given at once, at most */
#define PLACE_AGAIN 32 /* so often a yielding task is placed anew: those that never wait */
#define CHECKS      64 /* of the inbox, before the worker sleeps */
#define LONG_STEP   (CO4_MS / 2) /* others serve the descriptors and the inbox of its worker */
/* If each awake worker has this many tasks, another one is woken, even if no processor is free. */
#define MANY_QUEUED 64

/* Any thread may call it. */
static inline bool keeps(const struct co4__worker *w)
{
    return atomic_load_explicit(&((struct co4__worker *)(uintptr_t)w)->sched.small_tasks,
                                memory_order_relaxed);
}

/* Like co4__push_to(), also while the queue is open. */
static void push(struct co4__worker *w, struct co4__worker *self, co4_task *t)
{
    if (w == self && CO4__UNLIKELY(w->guarded))
        co4__several.push_guarded(w, t);
    else
        co4__push_to(w, self, t);
}

/* With more workers than processors, a sleeping worker is woken only in two cases: a processor is
 * free for it, or the awake workers have many tasks queued, perhaps as they are blocked in a call.
 * The search covers the first workers only; by the policy's order these are the awake ones. */
static struct co4__worker *one_awake(co4_runtime *rt, struct co4__worker *chosen)
{
    unsigned sampled_at = 0, most = 2 * rt->sched.processors + rt->batch;
    uint32_t least = MANY_QUEUED;
    if (!co4__queue_sleeps(&chosen->queue) ||
        atomic_load_explicit(&rt->idle.awake, memory_order_relaxed) < (int)rt->sched.processors)
        return chosen;
    for (unsigned i = 0; i < co4__nworkers(rt) && sampled_at < most; i++) {
        struct co4__worker *w = &rt->workers[i];
        sampled_at++;
        uint32_t load = co4__queue_load(&w->queue);
        if (load < least && !co4__queue_sleeps(&w->queue)) {
            least = load;
            chosen = w;
        }
    }
    return chosen;
}

static struct co4__worker *one_free(co4_runtime *rt, struct co4__worker *chosen)
{
    struct co4__worker *here = co4__worker_here_of(rt);
    if (!atomic_load_explicit(&chosen->others.blocked, memory_order_relaxed))
        return chosen;
    if (here && !atomic_load_explicit(&here->others.blocked, memory_order_relaxed))
        return here;
    struct co4__worker *w = co4__least_loaded(rt);
    return w ? w : chosen;
}

static struct co4__worker *choose(co4_runtime *rt, struct co4__worker *self, co4_task *t)
{
    int pinned = co4__pinned_to(t);
    if (CO4__UNLIKELY(pinned >= 0))
        return &rt->workers[pinned];
    if (self && self->index >= rt->regular)
        self = NULL;
    if (self && rt->sched.prefers_here && (keeps(self) || co4__own_load(self) <= 1))
        return self;
    co4_placing p = { rt->regular, rt->batch, 0, self ? (int)self->index : -1, rt, NULL };
    p.turn = self ? self->sched.rotor++
                  : atomic_fetch_add_explicit(&rt->outside.rotor, 1, memory_order_relaxed);
    struct co4__worker *w =
        &rt->workers[co4__policy_choose(rt->options.policy, rt->options.policy_data, &p)];
    if (CO4__UNLIKELY(atomic_load_explicit(&rt->spares.blocked, memory_order_relaxed) != 0))
        return one_free(rt, w);
    return CO4__LIKELY(rt->sched.processors >= rt->regular) ? w : one_awake(rt, w);
}

/* The steps of `self` are long. The task that it makes ready would wait for the end of this one. In
 * the inbox another worker can take it. One that sleeps is woken for that. */
static CO4__NOINLINE void offer(struct co4__worker *self, co4_task *t)
{
    co4_runtime *rt = self->rt;
    unsigned most = rt->sched.processors < rt->regular ? rt->sched.processors : rt->regular;
    if (atomic_load_explicit(&rt->idle.awake, memory_order_relaxed) >= (int)most ||
        co4__pinned_to(t) >= 0) {
        push(self, self, t);
        return;
    }
    co4__sched_push_remote(self, t);
    for (unsigned i = 1; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[(self->index + i) % co4__nworkers(rt)];
        if (co4__queue_sleeps(&w->queue) && co4__queue_interrupt(&w->queue)) {
            co4__worker_wake(w);
            return;
        }
    }
}

void co4__several_place(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = co4__worker_here_of(rt);
    struct co4__worker *w = choose(rt, self, t);
    if (w == self && CO4__UNLIKELY(w->look.slow) && rt->sched.prefers_here &&
        rt->options.rescue_after >= 0)
        offer(self, t);
    else
        push(w, self, t);
}

/* Returns the worker for a task that has yielded; NULL: a hook places it later. */
static struct co4__worker *after_yield(struct co4__worker *w, co4_task *t)
{
    int pinned = co4__pinned_to(t);
    if (co4__counted(&w->stats.steps) % PLACE_AGAIN != 0)
        return CO4__LIKELY(pinned < 0) ? w : &w->rt->workers[pinned];
    if (CO4__UNLIKELY(co4__hook_bits_of(w->rt) != 0) && co4__step_hooks.task_is_ready(w->rt, t))
        return NULL;
    return choose(w->rt, w, t);
}

void co4__several_yield(struct co4__worker *w, co4_task *t)
{
    struct co4__worker *to = after_yield(w, t);
    if (CO4__LIKELY(to == w)) {
        co4__queue_yield(&w->queue, t);
    } else if (to) {
        co4__push_to(to, w, t);
    }
}

void co4__several_place_other(co4_runtime *rt, co4_task *t)
{
    struct co4__worker *self = co4__worker_here_of(rt);
    int pinned = co4__pinned_to(t);
    unsigned other = self ? (self->index + 1) % rt->regular : 0;
    push(&rt->workers[pinned < 0 ? other : (unsigned)pinned], self, t);
}

/* ---- work stealing ---- */

void co4__several_sample(struct co4__worker *w, int64_t now)
{
    uint64_t steps = co4__counted(&w->stats.steps);
    uint64_t operations = steps * (uint64_t)w->budget - w->sched.unused;
    uint64_t done = steps + co4__counted(&w->count.spawned) + operations;
    if (w->sched.sampled_at != 0) {
        int64_t took = now - w->sched.sampled_at;
        bool small_tasks = took < (int64_t)(done - w->sched.done_then) * SMALL_TASK;
        bool keep = small_tasks || (w->sched.were_small && took < DISTURBED);
        atomic_store_explicit(&w->sched.small_tasks, keep, memory_order_relaxed);
        w->near.keeps = keep;
        co4__sched_near(w);
        w->sched.were_small = small_tasks;
    }
    w->sched.sampled_at = now;
    w->sched.done_then = done;
}

/* The step of `from` lasts: it does not answer, and its inbox has to wait. */
static void take_inbox(struct co4__worker *w, struct co4__worker *from, uint64_t step)
{
    if (w->rt->options.rescue_after < 0 || !co4__queue_has_rx(&from->queue))
        return;
    if (w->sched.pinned_on == from && w->sched.pinned_at == step)
        return; /* the tasks that have to stay there would only be moved to and fro */
    uint32_t n = 0;
    for (co4_task *t = co4__queue_take_rx(&from->queue), *next; t; t = next) {
        next = t->next;
        if (co4__pinned_to(t) < 0) {
            co4__queue_push(&w->queue, t);
            n++;
        } else {
            w->sched.pinned_on = from;
            w->sched.pinned_at = step;
            co4__sched_push_remote(from, t);
        }
    }
    co4__count(&w->queue.received, n);
}

void co4__several_ask(struct co4__worker *w)
{
    struct co4__worker *most = NULL;
    uint32_t load = 1;
    w->sched.sampled_at = 0;
    for (unsigned i = 0; i < co4__nworkers(w->rt); i++) {
        struct co4__worker *other = &w->rt->workers[i];
        uint32_t its = other == w ? 0 : co4__queue_load(&other->queue);
        if (its > load) {
            load = its;
            most = other;
        }
    }
    if (!most)
        return;
    uint64_t step = co4__counted(&most->stats.steps);
    atomic_store_explicit(&most->others.asked, (uint16_t)(w->index + 1), memory_order_relaxed);
    atomic_store_explicit(&most->look.next, 0, memory_order_relaxed);
    for (int i = 0; i < CHECKS && !co4__queue_has_rx(&w->queue); i++)
        co4__spin_pause();
    if (!co4__queue_has_rx(&w->queue) && !keeps(most) && co4__counted(&most->stats.steps) == step)
        take_inbox(w, most, step);
}

void co4__several_answer(struct co4__worker *w)
{
    unsigned asker = atomic_exchange_explicit(&w->others.asked, 0, memory_order_relaxed);
    uint32_t n = w->queue.ninner;
    if (asker == 0 || n < 2 || keeps(w))
        return;
    co4_task *newest, *oldest;
    n = co4__lanes_part(&w->queue.lanes, n / 2 < MANY ? n / 2 : MANY, &newest, &oldest);
    if (n == 0)
        return;
    co4__queue_gone(&w->queue, n);
    co4__count(&w->stats.sent, n);
    co4__count(&w->stats.given, n);
    co4__pushed(&w->rt->workers[asker - 1],
                co4__queue_push_several(&w->rt->workers[asker - 1].queue, newest, oldest, n));
}

static bool is_stuck(struct co4__worker *w, int64_t now)
{
    uint64_t step = co4__counted(&w->stats.steps);
    if (step == atomic_load_explicit(&w->others.seen, memory_order_relaxed))
        return now - atomic_load_explicit(&w->others.seen_at, memory_order_relaxed) >= LONG_STEP;
    atomic_store_explicit(&w->others.seen_at, now, memory_order_relaxed);
    atomic_store_explicit(&w->others.seen, step, memory_order_relaxed);
    return false;
}

void co4__several_rescue(struct co4__worker *w, int64_t now)
{
    if (now - w->sched.rescued_at < LONG_STEP)
        return;
    w->sched.rescued_at = now;
    for (unsigned i = 0; i < co4__nworkers(w->rt); i++) {
        struct co4__worker *other = &w->rt->workers[i];
        if (other == w || co4__queue_sleeps(&other->queue) || !is_stuck(other, now))
            continue;
        struct co4__poller *p = co4__poller_of(other);
        if (p)
            p->ops->rescue(p, now);
        take_inbox(w, other, co4__counted(&other->stats.steps));
    }
}

/* ---- pins ---- */

int co4_task_pin(co4_task *task, int worker)
{
    if (!task || worker < -1)
        return CO4_EINVAL;
    const co4_runtime *rt = co4__runtime_of(task);
    if (worker >= CO4__WORKERS_MAX || (rt && worker >= (int)rt->regular))
        return CO4_EINVAL;
    if (worker < 0 && !co4__extension_of(task))
        return CO4_OK;
    struct co4__task_extension *x = co4__extension_make(task);
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
