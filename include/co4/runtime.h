/* co4/runtime.h - the workers that run tasks.
 *
 * A runtime owns workers, each a thread with a queue of its own. A task that becomes ready goes to
 * the least loaded worker among a window of `batch` workers, which moves on with every choice. With
 * 22 workers and batch 8 the windows are (0,8), (8,16), (16,22), (0,8) and so on. The running task
 * counts as load, and the worker that makes a task ready keeps it when its load is close to the
 * least. A runtime with nothing to do uses no CPU.
 *
 *     co4_runtime *rt = co4_runtime_create(NULL);       one worker a processor
 *     co4_runtime_spawn(rt, f(a));                      may come before or after the start
 *     co4_runtime_start(rt);
 *     co4_runtime_join(rt);                             every task has stopped
 *     co4_runtime_destroy(rt);
 *
 * Embedding. A runtime created with CO4_RUNTIME_EMBEDDED workers has no thread. The host calls
 * co4_runtime_run_once() from a loop of its own, always on the same thread. It does not block on an
 * event that only that loop can bring. Such a runtime is started as well; that makes no thread, but
 * join requires it. In a build without threads every runtime is like that: its workers are only
 * queues, and co4_runtime_join() runs all tasks on the thread that calls it. */
#ifndef CO4_RUNTIME_H
#define CO4_RUNTIME_H

#include <stdint.h>

#include "insight.h"
#include "mark.h"
#include "policy.h"
#include "task.h"
#include "time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_runtime co4_runtime;
typedef struct co4_test_options co4_test_options; /* test.h */

/* Called on the worker's thread at each step of each task: CO4_TASK_RUNNING when a step begins,
 * then the state after it: READY (yielded), PAUSED, STOPPED. For one task the calls never overlap;
 * for different tasks they may. It must neither pause nor block for long. */
typedef void co4_observer(void *data, co4_task *task, co4_task_state state);

/* The values that a 0 in the options means, for `batch`, `step_budget` and `rescue_after`. A 0 in
 * `workers` is one a processor; with CO4_RUNTIME_EMBEDDED there is no thread, and the host
 * drives. */
#define CO4_RUNTIME_BATCH    8
#define CO4_RUNTIME_WORKERS  0
#define CO4_RUNTIME_EMBEDDED (-1)
#define CO4_STEP_BUDGET      256
#define CO4_RESCUE_AFTER     (10 * CO4_MS)

/* How a runtime is made. All zero: one worker a processor. */
typedef struct co4_runtime_options {
    int workers;            /* threads; 0: one a processor; CO4_RUNTIME_EMBEDDED: the host drives */
    int batch;              /* width of the window; 0: CO4_RUNTIME_BATCH */
    co4_observer *observer; /* NULL: none */
    void *observer_data;
    void (*on_ready)(void *data); /* embedded: work has come for an idle runtime; any thread */
    void *on_ready_data;
    const co4_test_options *test; /* simulated, for tests: include test.h; NULL: it is real */
    /* Calls for long steps (insight.h). NULL and 0: none; both are set, or neither. A separate
     * thread calls on_stall once for a step longer than stall_ns, while the step goes on. Without
     * threads the call comes after the step. In an embedded runtime only steps that the host has
     * begun count. */
    co4_on_stall *on_stall;
    void *on_stall_data;
    int64_t stall_ns;
    /* A co4_runtime_destroy() that is CO4_EBUSY first writes why; one that succeeds, which
     * mailboxes hold messages: co4_runtime_report(). */
    co4_writer *report;
    void *report_data;
    const co4_policy *policy; /* which worker gets a task: policy.h; NULL: co4_policy_windows */
    void *policy_data;
    /* operations that succeed at once before a task yields; 0: CO4_STEP_BUDGET */
    int step_budget;
    /* The time in ns after which the monitor gives tasks in the inbox of a worker whose step does
     * not end to other workers, and fires its timers; it may take twice that. A worker that runs,
     * or runs out of tasks, may take them sooner. 0: CO4_RESCUE_AFTER; negative: none of that. */
    int64_t rescue_after;
} co4_runtime_options;

/* The options of co4_runtime_create(NULL). */
#define CO4_RUNTIME_DEFAULTS                                                                       \
    {                                                                                              \
        CO4_RUNTIME_WORKERS, CO4_RUNTIME_BATCH, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0           \
    }

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL.
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: the runtime stays its owner's.
 * Since: 0.1. */

/* Creates a runtime, without starting its threads. There may be 65,535 runtimes and calls of
 * co4_run() at a time; one more is out of memory.
 *
 * Returns: the runtime; NULL without memory, and for options that make no sense: more than 1024 or
 *     less than -1 workers, a negative batch.
 * Ownership: the caller's, until co4_runtime_destroy(). The options are copied. Objects that they
 *     point to stay the caller's, and must live as long. */
CO4_MUST_USE co4_runtime *co4_runtime_create(const co4_runtime_options *options);

/* Starts the threads.
 *
 * Returns: CO4_OK; CO4_ESTATE when it was started before; CO4_EAGAIN and CO4_ENOMEM when the system
 *     gives no thread: then none runs, and the call may be tried again. */
int co4_runtime_start(co4_runtime *rt);

/* Schedules a prepared task (co4_task_create) on `rt`, before or after its start. With NULL that is
 * the current task's runtime, else the runtime started last.
 *
 * Returns: CO4_OK; CO4_ESTATE when the task was scheduled before, or there is no runtime;
 *     CO4_EINVAL.
 * Ownership: the caller keeps its reference to the task. */
int co4_runtime_schedule(co4_runtime *rt, co4_task *task);

/* Waits until every task has stopped, also those that are scheduled meanwhile. The runtime can be
 * used on. Of an embedded runtime, and without threads, it runs the tasks itself.
 *
 * Returns: CO4_OK; CO4_ESTATE when tasks wait and the runtime was never started; CO4_EDEADLK inside
 *     a task, and when nothing could end the wait (co4_deadlock_detect): the tasks stay as they
 *     are.
 * Blocks: the thread, until then. */
int co4_runtime_join(co4_runtime *rt);

/* Stops the threads, and frees the runtime. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing happens, while a task has not stopped; CO4_EDEADLK on a
 *     thread of its own.
 * Blocks: the thread, until the runtime's threads have ended.
 * Thread safety: no other call may begin from now on.
 * Ownership: ends the caller's. */
int co4_runtime_destroy(co4_runtime *rt);

/* co4_run_workers(workers, f(a)): co4_run() on several threads, in one line. It makes a runtime
 * with so many workers (0: one a processor), runs the call and the tasks that it spawns there, and
 * ends the runtime when all of them have stopped. f returns an int. Plain: a call.
 *
 *     int err = co4_run_workers(4, serve(8080));
 *
 * Returns: f's result. CO4_ENOMEM; CO4_EINVAL for a number that makes no sense; CO4_EAGAIN when the
 *     system gives no thread; CO4_EDEADLK inside a task, and when the tasks that are left wait for
 *     what can never come: they stay as they are.
 * Blocks: the thread, until then. */
#ifdef CO4_PLAIN
#define co4_run_workers(workers, call) ((void)(workers), (call))
#else
#define co4_run_workers(workers, call) co4_run_workers_task((workers), co4_task_create(call))
#endif

/* The same for a prepared task, whose function returns an int.
 *
 * Returns: as above.
 * Blocks: the thread, until then.
 * Ownership: takes over the caller's reference to the task, also when it fails. */
int co4_run_workers_task(int workers, co4_task *task);

/* Fires timers that are due, and gives one step to each task that is ready.
 *
 * Returns: the number of steps, 0 when there was nothing to do; CO4_ESTATE when threads drive the
 *     runtime.
 * Thread safety: always the same thread. */
int co4_runtime_run_once(co4_runtime *rt);

/* When co4_runtime_run_once() has something to do next.
 *
 * Returns: 0 for at once; a deadline on the clock of co4_now(); CO4_NEVER, also for NULL and when
 *     threads drive the runtime.
 * Thread safety: the thread that drives the runtime. */
int64_t co4_runtime_next_deadline(co4_runtime *rt);

/* A file descriptor that is readable when co4_runtime_run_once() has something to do at once: for
 * poll() and its like, beside the host's own. Timers are not in it; co4_runtime_next_deadline()
 * says when they are due. co4_runtime_run_once() empties it.
 *
 * Returns: zero or more; CO4_ESTATE when the runtime is not embedded, in test mode,
 *     and where the system has none; CO4_EAGAIN when the system gives none; CO4_ENOMEM; CO4_EINVAL.
 * Thread safety: the first call, on the thread that drives the runtime.
 * Ownership: the runtime's; the host must neither read from it nor close it. */
int co4_runtime_wake_fd(co4_runtime *rt);

/* Tasks that were scheduled and have not stopped, at some moment during the call.
 *
 * Returns: the number; 0 for NULL. */
unsigned long long co4_runtime_tasks(co4_runtime *rt);

/* Its workers.
 *
 * Returns: the number, at least 1, also when the host drives it; 0 for NULL. */
int co4_runtime_workers(const co4_runtime *rt);

/* The worker whose thread makes this call.
 *
 * Returns: its number, from 0; 0 inside a co4_run(); -1 on other threads. */
int co4_worker_here(void);

#ifdef __cplusplus
}
#endif

#endif
