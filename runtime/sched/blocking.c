/* blocking.c - co4_blocking: a pool of threads that make ordinary calls while their tasks pause.
 *
 * Invariants: a job is a part of the frame that woven code makes for the call, so nothing is
 * allocated. The task pauses without a wait queue: its `wait` stays NONE. So neither a cancellation
 * nor the end of a co4_run can claim it, and the frame stays until the call has returned and this
 * pool has woken the task. A wake that comes while the task still unwinds is kept, like any wake
 * (task.c).
 *
 * Concurrency: one lock guards the queue of jobs and the idle threads. A job goes to an idle
 * thread, or to a new one below the limit, or it is queued. While a thread is idle no job is
 * queued, and the threads are not above the limit. A thread is counted before it starts. If the
 * start fails and no thread is left, the starting thread makes all queued calls itself, so no call
 * is lost. Idle threads form a stack: the newest takes the next job, so the oldest end after IDLE.
 * A thread that assigns a job to an idle one, or ends it, removes it from the stack first, and then
 * wakes it exactly once. Threads detach themselves, but those that the end of the program joins:
 * all that make no call then. Each one returns the runtime's memory that it holds before it counts
 * its own end. So after co4_blocking_stop(), which waits for all these counts, none of them runs
 * our code. It polls, since it is rarely called.
 *
 * Rejected: a pool for each runtime (each co4_run would have one, whose threads start and end with
 * it); abandoning the call of a cancelled task (its arguments point into frames). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/count.h"
#include "base/public.h"
#include "co4/blocking.h"
#include "core/caller.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/blocking.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/worker.h"

#define IDLE (2 * CO4_SEC)

struct idle {
    struct idle *below, **link; /* link: NULL when removed from the stack */
    struct idle *next, **here;  /* in the list of all threads */
    struct co4__thread thread;
    atomic_bool calls; /* it makes the program's call, which may last for ever */
    bool joined;       /* the end of the program joins it; otherwise it detaches itself */
    struct co4__parker parker;
    co4_abi_job *job; /* the job to do; NULL: none yet */
    bool must_end;    /* it has to end, and does not count any more */
};

static struct {
    co4__lock lock; /* guards all below */
    co4_abi_job *first,
        **last; /* the queue, first in, first out; last is NULL before the first job */
    struct idle *idle, *all;
    int threads, limit;
    int here; /* `threads`, and those that do not count any more but still run */
    bool stopping, exiting;
} pool = { .limit = CO4_BLOCKING_THREADS };

/* ---- under the lock ---- */

static void push(co4_abi_job *job)
{
    job->next = NULL;
    if (pool.first)
        *pool.last = job;
    else
        pool.first = job;
    pool.last = &job->next;
}

static void push_first(co4_abi_job *job)
{
    job->next = pool.first;
    if (!pool.first)
        pool.last = &job->next;
    pool.first = job;
}

static co4_abi_job *take(void)
{
    co4_abi_job *job = pool.first;
    if (job)
        pool.first = job->next;
    return job;
}

/* Called by a thread of the pool. Returns NULL also if the threads are above the limit. */
static co4_abi_job *pop(void)
{
    return pool.threads <= pool.limit && !pool.exiting ? take() : NULL;
}

static void put_on(struct idle *self)
{
    self->below = pool.idle;
    self->link = &pool.idle;
    if (self->below)
        self->below->link = &self->below;
    pool.idle = self;
}

/* False: another thread has removed it. */
static bool take_off(struct idle *self)
{
    if (!self->link)
        return false;
    *self->link = self->below;
    if (self->below)
        self->below->link = self->link;
    self->link = NULL;
    return true;
}

static void put_in_list(struct idle *self)
{
    self->next = pool.all;
    self->here = &pool.all;
    if (self->next)
        self->next->here = &self->next;
    pool.all = self;
}

static void take_from_list(struct idle *self)
{
    *self->here = self->next;
    if (self->next)
        self->next->here = self->here;
}

/* ---- the threads ---- */

static void run(struct idle *self, co4_abi_job *job)
{
    co4_task *t = co4__task_of(job->fiber);
    co4__thread_takes_signals(true);
    job->call(job->frame);
    co4__thread_takes_signals(false);
    if (self)
        atomic_store(&self->calls, false); /* the task that is woken may end the program */
    co4__claims_begin();                   /* this thread has taken no lock and claimed no task */
    co4__wake(&t->waiter);                 /* the job does not exist after this */
    co4__claims_end();
}

/* Returns the next job, perhaps after a wait; without `self` it does not wait. NULL: none came, and
 * the thread does not count any more. */
static co4_abi_job *next_job(struct idle *self, bool can_idle)
{
    co4__lock_take(&pool.lock);
    co4_abi_job *job = pop();
    if (!job && can_idle && !pool.stopping && !pool.exiting && pool.threads <= pool.limit) {
        self->job = NULL;
        self->must_end = false;
        put_on(self);
        co4__lock_give(&pool.lock);
        int err = co4__parker_idle(&self->parker, co4__clock() + IDLE);
        co4__lock_take(&pool.lock);
        if (err != CO4_OK && !take_off(self)) { /* its wake is about to come */
            co4__lock_give(&pool.lock);
            co4__parker_wait(&self->parker, CO4_NEVER);
            co4__lock_take(&pool.lock);
        }
        if (self->must_end) {
            co4__lock_give(&pool.lock);
            return NULL;
        }
        job = self->job ? self->job : pop();
    }
    if (job)
        atomic_store(&self->calls, true);
    else
        pool.threads--;
    co4__lock_give(&pool.lock);
    return job;
}

static void thread_main(void *first)
{
    struct idle self = { .calls = true };
    co4__local()->blocking.pooled = true;
    co4__thread_self(&self.thread);
    co4__lock_take(&pool.lock);
    put_in_list(&self);
    co4__lock_give(&pool.lock);
    bool can_idle = co4__parker_init(&self.parker) == CO4_OK;
    for (co4_abi_job *job = first; job; job = next_job(&self, can_idle))
        run(&self, job);
    if (can_idle)
        co4__parker_fini(&self.parker);
    co4__pool_thread_exit();
    co4__lock_take(&pool.lock);
    if (!self.joined) {
        take_from_list(&self);
        co4__thread_detach(&self.thread);
    }
    pool.here--;
    co4__lock_give(&pool.lock);
}

/* ---- the callers ---- */

/* Called under the lock, which it releases meanwhile. Ends an idle thread. */
static void end_idle(struct idle *idle)
{
    take_off(idle);
    idle->must_end = true;
    pool.threads--;
    co4__lock_give(&pool.lock);
    co4__parker_wake(&idle->parker);
    co4__lock_take(&pool.lock);
}

/* Called under the lock; releases it. Starts up to `most` threads for the queued jobs, below the
 * limit. True: no thread could be started, and this thread has made the call of `own`. */
static bool start_threads(int most, const co4_abi_job *own)
{
    bool called = false;
    for (; most > 0 && pool.first && pool.threads < pool.limit; most--) {
        co4_abi_job *job = take();
        pool.threads++;
        pool.here++;
        co4__lock_give(&pool.lock);
        struct co4__thread t;
        bool started = co4__thread_start_apart(&t, thread_main, job) == CO4_OK;
        co4__lock_take(&pool.lock);
        if (started)
            continue;
        pool.threads--;
        pool.here--;
        push_first(job);
        break;
    }
    while (pool.threads == 0 && pool.first) {
        co4_abi_job *job = take();
        co4__lock_give(&pool.lock);
        if (job == own) {
            job->call(job->frame);
            called = true;
        } else {
            run(NULL, job);
        }
        co4__lock_take(&pool.lock);
    }
    co4__lock_give(&pool.lock);
    return called;
}

/* This thread has made the call. It counts as an operation. Returns whether the fiber yields. */
static int made_here(co4_fiber *co4)
{
    co4__done(co4, CO4_OK);
    return co4_abi_pausing(co4);
}

int co4_abi_blocking(co4_fiber *co4, co4_abi_job *job, void (*call)(void *frame), void *frame)
{
    co4_runtime *rt = co4__may_pause(co4) ? co4__runtime_of(co4__task_of(co4)) : NULL;
    if (!rt || !co4__has_threads || rt->simulate.state) {
        call(frame);
        return made_here(co4);
    }
    *job = (co4_abi_job){ NULL, call, frame, co4 };
    co4__count(&co4__local()->worker->stats.pool_calls, 1);
    co4_abi_pause(co4, CO4_ABI_WAITING); /* before another thread can wake it */
    co4__lock_take(&pool.lock);
    struct idle *idle = pool.idle;
    if (idle) {
        take_off(idle);
        idle->job = job;
        atomic_store(&idle->calls, true); /* it may wake only when the program ends */
        co4__lock_give(&pool.lock);
        co4__parker_wake(&idle->parker);
        return 1;
    }
    push(job);
    if (!start_threads(1, job))
        return 1;
    co4->pausing = CO4_ABI_RUNNING;
    return made_here(co4);
}

int co4_blocking_limit(int threads)
{
    if (threads < 1)
        return CO4_EINVAL;
    co4__lock_take(&pool.lock);
    pool.limit = threads;
    while (pool.threads > pool.limit && pool.idle)
        end_idle(pool.idle);
    start_threads(threads, NULL);
    return CO4_OK;
}

int co4_blocking_threads(void)
{
    co4__lock_take(&pool.lock);
    int n = pool.threads;
    co4__lock_give(&pool.lock);
    return n;
}

int co4_blocking_stop(void)
{
    if (co4__in_task() || co4__local()->blocking.pooled)
        return CO4_EDEADLK;
    for (;;) {
        co4__lock_take(&pool.lock);
        while (pool.idle)
            end_idle(pool.idle);
        bool more = pool.stopping = pool.here > 0;
        co4__lock_give(&pool.lock);
        if (!more)
            return CO4_OK;
        co4__sleep_thread(co4__clock() + CO4_MS / 4);
    }
}

/* Ends and joins the threads that make no call when the program ends: tools such as valgrind take
 * the memory of a thread that still waits for a leak. */
__attribute__((destructor)) static void end_with_program(void)
{
    co4__lock_take(&pool.lock);
    pool.exiting = true;
    for (struct idle *each = pool.all, *next; each; each = next) {
        next = each->next;
        if (atomic_load(&each->calls))
            continue;
        struct co4__thread thread = each->thread;
        each->joined = true;
        take_from_list(each);
        if (each->link)
            end_idle(each);
        co4__lock_give(&pool.lock);
        co4__thread_join(&thread);
        co4__lock_take(&pool.lock);
        next = pool.all; /* the lock was released meanwhile */
    }
    co4__lock_give(&pool.lock);
}

/* ---- forks ---- */

void co4__blocking_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&pool.lock);
    /* The child has none of these threads, so their calls do not return. */
    if (how == CO4__FORK_CHILD) {
        pool.first = NULL;
        pool.idle = pool.all = NULL;
        pool.threads = pool.here = 0;
        pool.stopping = false;
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&pool.lock);
}
