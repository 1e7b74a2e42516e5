/* thread_pool.c - threads that make calls which block.
 *
 * Invariants: while a thread is idle no job is queued, or the thread has been woken for it. Idle
 * threads form a stack: the newest takes the next job, so the oldest end after IDLE. A thread that
 * removes another from the stack wakes it exactly once; the woken one looks at the queue, the limit
 * and `stopping` by itself.
 *
 * Concurrency: one lock guards the queue and the threads. A thread is counted before it starts. If
 * the start fails and no thread is left, the queued jobs are lost, and the pool's owner decides
 * what becomes of them. A thread that makes no call when the program ends is joined; all others
 * detach themselves. Each thread returns the runtime's memory that it holds before it counts its
 * own end. So after co4__thread_pool_stop(), which waits for all these counts, none of them runs
 * our code. It polls, since it is rarely called. */
#include "sched/thread_pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/caller.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"

#define IDLE (2 * CO4_SEC)

struct co4__pool_thread {
    struct co4__pool_thread *below, **link; /* link: NULL when removed from the stack */
    struct co4__pool_thread *next, **here;  /* in the list of all threads */
    struct co4__thread thread;
    struct co4__parker parker;
    atomic_bool calls; /* it makes the program's call, which may last for ever */
    bool joined;       /* the end of the program joins it; otherwise it detaches itself */
};

/* ---- under the lock ---- */

void co4__thread_pool_remove(struct co4__thread_pool *pool, co4_abi_job *job)
{
    *job->link = job->next;
    if (job->next)
        job->next->link = job->link;
    else
        pool->last = job->link;
    job->link = NULL;
}

static void take_off_stack(struct co4__pool_thread *self)
{
    *self->link = self->below;
    if (self->below)
        self->below->link = self->link;
    self->link = NULL;
}

/* Returns an idle thread, which the caller wakes. NULL: there is none. */
static struct co4__pool_thread *take_idle(struct co4__thread_pool *pool)
{
    struct co4__pool_thread *idle = pool->idle;
    if (idle)
        take_off_stack(idle);
    return idle;
}

/* ---- the threads ---- */

/* Called under the lock, which it releases meanwhile: waits for a wake, or ends the idle time. The
 * thread is off the stack afterwards. Returns whether it was woken. */
static bool wait_idle(struct co4__thread_pool *pool, struct co4__pool_thread *self)
{
    self->below = pool->idle;
    self->link = &pool->idle;
    if (self->below)
        self->below->link = &self->below;
    pool->idle = self;
    co4__lock_give(&pool->lock);
    int err = co4__parker_idle(&self->parker, co4__clock() + IDLE);
    co4__lock_take(&pool->lock);
    if (err == CO4_OK)
        return true;
    if (self->link) {
        take_off_stack(self);
        return false;
    }
    co4__lock_give(&pool->lock); /* its wake is about to come */
    co4__parker_wait(&self->parker, CO4_NEVER);
    co4__lock_take(&pool->lock);
    return true;
}

/* Returns the next job, perhaps after a wait. NULL: the thread has to end, and does not count any
 * more. */
static co4_abi_job *next_job(struct co4__thread_pool *pool, struct co4__pool_thread *self,
                             bool can_idle)
{
    co4_abi_job *job = NULL;
    struct co4__pool_thread *other = NULL;
    co4__lock_take(&pool->lock);
    while (pool->threads <= pool->limit && !pool->exiting && !(job = pool->first) && can_idle &&
           !pool->stopping)
        if (!wait_idle(pool, self))
            break;
    if (job) {
        co4__thread_pool_remove(pool, job);
        atomic_store(&self->calls, true);
    } else {
        pool->threads--;
        if (pool->first && !pool->exiting) /* it was woken for that, and is above the limit */
            other = take_idle(pool);
    }
    co4__lock_give(&pool->lock);
    if (other)
        co4__parker_wake(&other->parker);
    return job;
}

static void put_in_list(struct co4__thread_pool *pool, struct co4__pool_thread *self)
{
    co4__lock_take(&pool->lock);
    self->next = pool->all;
    self->here = &pool->all;
    if (self->next)
        self->next->here = &self->next;
    pool->all = self;
    co4__lock_give(&pool->lock);
}

/* Called under the lock. */
static void take_from_list(struct co4__pool_thread *self)
{
    *self->here = self->next;
    if (self->next)
        self->next->here = self->here;
}

static void thread_main(void *its_pool)
{
    struct co4__thread_pool *pool = its_pool;
    struct co4__pool_thread self = { .calls = false };
    co4_abi_job *job;
    co4__local()->blocking.pooled = true;
    co4__thread_self(&self.thread);
    put_in_list(pool, &self);
    bool can_idle = co4__parker_init(&self.parker) == CO4_OK;
    while ((job = next_job(pool, &self, can_idle)) != NULL) {
        pool->make(job);
        atomic_store(&self.calls, false); /* `done` may wake a task that ends the program */
        pool->done(job);
    }
    if (can_idle)
        co4__parker_fini(&self.parker);
    co4__pool_thread_exit();
    co4__lock_take(&pool->lock);
    if (!self.joined) {
        take_from_list(&self);
        co4__thread_detach(&self.thread);
    }
    pool->here--;
    co4__lock_give(&pool->lock);
}

/* ---- the callers ---- */

/* A thread could not be started. */
static void start_failed(struct co4__thread_pool *pool)
{
    co4_abi_job *lost = NULL;
    co4__lock_take(&pool->lock);
    pool->threads--;
    pool->here--;
    if (pool->threads == 0) {
        lost = pool->first;
        pool->first = NULL;
        for (co4_abi_job *job = lost; job; job = job->next)
            job->link = NULL; /* a lookup that is given up does not remove it any more */
    }
    co4__lock_give(&pool->lock);
    for (co4_abi_job *next; lost; lost = next) {
        next = lost->next;
        pool->lost(lost);
    }
}

/* Called under the lock; releases it. Wakes or starts a thread for the first queued job. False: it
 * has not done so; a busy thread takes the job later. */
static bool serve_first(struct co4__thread_pool *pool)
{
    struct co4__thread thread;
    struct co4__pool_thread *idle = pool->first ? take_idle(pool) : NULL;
    bool start = pool->first && !idle && pool->threads < pool->limit;
    pool->threads += start;
    pool->here += start;
    co4__lock_give(&pool->lock);
    if (idle)
        co4__parker_wake(&idle->parker);
    if (start && co4__thread_start_apart(&thread, thread_main, pool) != CO4_OK) {
        start_failed(pool);
        return false;
    }
    return idle || start;
}

void co4__thread_pool_add(struct co4__thread_pool *pool, co4_abi_job *job)
{
    job->next = NULL;
    job->link = pool->first ? pool->last : &pool->first;
    *job->link = job;
    pool->last = &job->next;
    serve_first(pool);
}

/* Called under the lock; releases it. */
static void wake_all_idle(struct co4__thread_pool *pool)
{
    struct co4__pool_thread *idle = pool->idle;
    pool->idle = NULL;
    for (struct co4__pool_thread *i = idle; i; i = i->below)
        i->link = NULL;
    co4__lock_give(&pool->lock);
    for (struct co4__pool_thread *below; idle; idle = below) {
        below = idle->below; /* its thread may put it on the stack again */
        co4__parker_wake(&idle->parker);
    }
}

int co4__thread_pool_set_limit(struct co4__thread_pool *pool, int threads)
{
    if (threads < 1)
        return CO4_EINVAL;
    co4__lock_take(&pool->lock);
    pool->limit = threads;
    wake_all_idle(pool);
    do
        co4__lock_take(&pool->lock);
    while (serve_first(pool));
    return CO4_OK;
}

int co4__thread_pool_threads(struct co4__thread_pool *pool)
{
    co4__lock_take(&pool->lock);
    int n = pool->threads;
    co4__lock_give(&pool->lock);
    return n;
}

int co4__thread_pool_stop(struct co4__thread_pool *pool)
{
    if (co4__in_task() || co4__local()->blocking.pooled)
        return CO4_EDEADLK;
    for (;;) {
        co4__lock_take(&pool->lock);
        bool more = pool->stopping = pool->here > 0;
        wake_all_idle(pool);
        if (!more)
            return CO4_OK;
        co4__sleep_thread(co4__clock() + CO4_MS / 4);
    }
}

/* Tools such as valgrind take the memory of a thread that still waits for a leak. */
void co4__thread_pool_exit(struct co4__thread_pool *pool)
{
    co4__lock_take(&pool->lock);
    pool->exiting = true;
    for (struct co4__pool_thread *each = pool->all, *next; each; each = next) {
        next = each->next;
        if (atomic_load(&each->calls))
            continue;
        struct co4__thread thread = each->thread;
        bool idles = each->link != NULL;
        each->joined = true;
        take_from_list(each);
        if (idles)
            take_off_stack(each);
        co4__lock_give(&pool->lock);
        if (idles)
            co4__parker_wake(&each->parker);
        co4__thread_join(&thread);
        co4__lock_take(&pool->lock);
        next = pool->all; /* the lock was released meanwhile */
    }
    co4__lock_give(&pool->lock);
}

/* ---- forks ---- */

void co4__thread_pool_fork(struct co4__thread_pool *pool, enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&pool->lock);
    if (how == CO4__FORK_CHILD) {
        pool->first = NULL;
        pool->idle = pool->all = NULL;
        pool->threads = pool->here = 0;
        pool->stopping = false;
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&pool->lock);
}
