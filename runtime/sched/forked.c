/* forked.c - the child of a fork inside a task: only that task lives.
 *
 * Purpose: to code from outside its task is a thread, and the child of a fork has the thread that
 * forks, and no other. The tasks around it, whose steps have begun the runs that it is inside of,
 * are further out on the same C stack. So they live, too. All others never run again: no event,
 * timer, message or release resumes one.
 *
 * Invariants: each runtime on the stack gets a new number, which only its living task has. The old
 * number belongs to `grave`, a runtime that no thread drives. So a wake of a lost task puts it into
 * an inbox that nothing reads. What was ready on these workers is dropped. From then on the worker
 * of the task is the only one of its runtime.
 *
 * A lost call, such as that of main(), waits for ever. So when the last task has ended, the process
 * ends with status 0, as POSIX says of the last thread.
 *
 * Concurrency: other threads fire and cancel the timers of the workers on the stack, which the
 * child goes on with: a fork waits for them. The child has one thread. The handlers of other
 * modules come before or after; so they ask for the places on the stack, and not for the numbers.
 *
 * Rejected: to end the lost tasks as cancelled (their cleanup would act in the name of the parent:
 * close, unlock, send); a flag in each task (a test at each step). */
#include "sched/forked.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/runtime_id.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/nested_steps.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"

static struct {
    co4_runtime rt;
    struct co4__worker worker;
} grave;

static void leave_only(struct co4__worker *w, co4_task *t)
{
    co4_runtime *rt = w->rt;
    bool calls = t == rt->run.main;
    unsigned old = rt->runtime_id;
    if (co4__runtime_id_take(rt, &rt->runtime_id) != CO4_OK) {
        co4__misuse("a forked process cannot go on: there are too many runtimes");
        _Exit(EXIT_FAILURE);
    }
    atomic_store(co4__words_at(&co4__runtimes_by_id, old), (uintptr_t)&grave.rt);
    co4__set_runtime_id(t, rt->runtime_id);
    co4__queue_init(&w->queue);
    w->queue.ninner = 1; /* the task, which runs */
    co4__queue_publish(&w->queue);
    w->guarded = false;                /* the monitor may have had the queue */
    atomic_init(&w->guard, CO4__OPEN); /* for a destructor that forks: specific.c */
    co4__sched_near(w);
    atomic_init(&w->count.spawned, atomic_load(&w->count.stopped) + !calls);
    atomic_init(&rt->count.outside, 0);
    rt->count.joiners = (struct co4__wait_queue){ .lock = { 0 } }; /* a lost worker may hold it */
    rt->workers = w;
    atomic_init(&rt->nworkers, 1);
    rt->regular = rt->places = 1;
    w->index = 0;
    rt->generation = co4__generation;
    rt->run.is_lost = !calls;
    rt->run.nenrolled = 0;
    if (rt->local && !calls)
        rt->run.enrolled[rt->run.nenrolled++] = t;
}

/* Before the classes of the depot, which are below in the order of locks. */
void co4__timers_fork(enum co4__fork how)
{
    for (struct co4__nested_step p = co4__innermost_step(); p.task; p = co4__outer_step(p)) {
        co4__lock *l = &p.worker->timers.lock;
        if (how == CO4__FORK_PREPARE)
            co4__lock_take(l);
        else
            co4__lock_give(l);
    }
}

void co4__forked_fork(enum co4__fork how)
{
    if (how != CO4__FORK_CHILD || !co4__innermost_step().task)
        return;
    grave.rt.workers = &grave.worker;
    atomic_init(&grave.rt.nworkers, 1);
    grave.rt.places = 1;
    grave.rt.threaded = true;
    grave.rt.generation = co4__generation - 1; /* its threads are never in this process */
    grave.worker.rt = &grave.rt;
    co4__queue_init(&grave.worker.queue);
    for (struct co4__nested_step p = co4__innermost_step(); p.task; p = co4__outer_step(p))
        leave_only(p.worker, p.task);
}
