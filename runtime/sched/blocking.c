/* blocking.c - co4_blocking: a pool of threads makes ordinary calls while their tasks pause.
 *
 * Invariants: a job is a part of the frame that woven code makes for the call, so nothing is
 * allocated. The task pauses without a wait queue: its claim stays NONE. So neither a cancellation
 * nor the end of a co4_run can claim it, and the frame stays until the call has returned and this
 * pool has woken the task. A wake that comes while the task still unwinds is kept, like any wake
 * (task.c).
 *
 * If there is no thread, and none can be started, the thread that needs one makes all queued calls
 * itself, so no call is lost.
 *
 * Rejected: a pool for each runtime (each co4_run would have one, whose threads start and end with
 * it); abandoning the call of a cancelled task (its arguments point into frames). */
#include "sched/blocking.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/count.h"
#include "base/public.h"
#include "co4/blocking.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/thread_pool.h"
#include "sched/worker.h"

static void make_call(co4_abi_job *job)
{
    co4__thread_takes_signals(true);
    job->call(job->frame);
    co4__thread_takes_signals(false);
}

static void wake_caller(co4_abi_job *job)
{
    co4_task *t = co4__task_of(job->fiber);
    co4__claims_begin();   /* this thread has taken no lock and claimed no task */
    co4__wake(&t->waiter); /* the job does not exist after this */
    co4__claims_end();
}

static void call_here(co4_abi_job *job)
{
    job->call(job->frame);
    wake_caller(job);
}

static struct co4__thread_pool pool = {
    .make = make_call, .done = wake_caller, .lost = call_here, .limit = CO4_BLOCKING_THREADS
};

int co4_abi_blocking(co4_fiber *co4, co4_abi_job *job, void (*call)(void *frame), void *frame)
{
    co4_runtime *rt = co4__may_pause(co4) ? co4__runtime_of(co4__task_of(co4)) : NULL;
    if (!rt || !co4__has_threads || rt->simulate.state) {
        call(frame);
        co4__done(co4,
                  CO4_OK); /* the call counts as an operation, after which the task may yield */
        return co4_abi_pausing(co4);
    }
    *job = (co4_abi_job){ .call = call, .frame = frame, .fiber = co4 };
    co4__count(&co4__local()->worker->stats.pool_calls, 1);
    co4_abi_pause(co4, CO4_ABI_WAITING); /* before another thread can wake it */
    co4__lock_take(&pool.lock);
    co4__thread_pool_add(&pool, job);
    return 1;
}

int co4_blocking_limit(int threads)
{
    return co4__thread_pool_set_limit(&pool, threads);
}

int co4_blocking_threads(void)
{
    return co4__thread_pool_threads(&pool);
}

int co4_blocking_stop(void)
{
    return co4__thread_pool_stop(&pool);
}

__attribute__((destructor)) static void end_with_program(void)
{
    co4__thread_pool_exit(&pool);
}

void co4__blocking_fork(enum co4__fork how)
{
    co4__thread_pool_fork(&pool, how);
}
