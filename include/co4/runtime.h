/* co4/runtime.h - where tasks run.
 *
 * A runtime owns workers, each a thread with a queue of its own. A task that becomes ready goes to
 * the least loaded worker among a window of `batch` workers, which moves on with every choice: 22
 * workers and batch 8 give (0,8), (8,16), (16,22), (0,8), … The running task counts as load, and
 * the worker that makes a task ready keeps it when its load is close to the least. A runtime with
 * nothing to do uses no CPU.
 *
 *     co4_runtime *rt = co4_runtime_create(NULL);       one worker a processor
 *     co4_runtime_spawn(rt, f(a));                      may come before or after the start
 *     co4_runtime_start(rt);
 *     co4_runtime_join(rt);                             every task has stopped
 *     co4_runtime_destroy(rt);
 *
 * Embedding. A runtime created with zero workers has no thread: the host calls
 * co4_runtime_run_once() from a loop of its own, always from the same thread, and does not block
 * on what only that loop can bring. It is started as well; that makes no thread, but join asks for
 * it. In a build without threads every runtime is like that: its
 * workers are only queues, and co4_runtime_join() runs all tasks on the thread that calls it. */
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
 * then what it has led to: READY (gave way), PAUSED, STOPPED. For one task the calls never
 * overlap; for different tasks they may. It must neither pause nor block for long. */
typedef void co4_observer(void *data, co4_task *task, co4_task_state state);

#define CO4_RUNTIME_BATCH   8    /* used for batch 0 */
#define CO4_RUNTIME_WORKERS (-1) /* one a processor */
#define CO4_STEP_BUDGET     256
#define CO4_RESCUE_AFTER    (10 * CO4_MS)

typedef struct co4_runtime_options {
    int workers;            /* threads; 0: none, the host drives; negative: one a processor */
    int batch;              /* width of the window; 0: CO4_RUNTIME_BATCH */
    co4_observer *observer; /* NULL: none */
    void *observer_data;
    void (*on_ready)(void *data); /* zero workers: work has come for an idle runtime; any thread */
    void *on_ready_data;
    const co4_test_options *test; /* simulated, for tests: test.h; NULL: it is real */
    /* insight.h. NULL, 0: none. A step longer than stall_ns is told to on_stall, once, by a thread
     * of its own, while it goes on (without threads: when it is over); with zero workers none that
     * the host has not begun. Both or neither. */
    co4_on_stall *on_stall;
    void *on_stall_data;
    int64_t stall_ns;
    /* A co4_runtime_destroy() that is CO4_EBUSY first writes why; one that succeeds, which
     * mailboxes hold messages: co4_runtime_report(). */
    co4_write *report;
    void *report_data;
    const co4_policy *policy; /* which worker gets a task: policy.h; NULL: co4_policy_windows */
    void *policy_data;
    /* operations that succeed at once before a task yields; 0: CO4_STEP_BUDGET */
    int step_budget;
    /* ns: from then on other workers take tasks out of the inbox of a worker whose step does not
     * end, within twice that; 0: CO4_RESCUE_AFTER; negative: never */
    int64_t rescue_after;
} co4_runtime_options;

/* What co4_runtime_create(NULL) uses. */
#define CO4_RUNTIME_DEFAULTS                                                                       \
    {                                                                                              \
        CO4_RUNTIME_WORKERS, CO4_RUNTIME_BATCH, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0           \
    }

/* A runtime that the caller owns; no thread runs yet. NULL when out of memory or when an option
 * makes no sense (more than 1024 workers, negative batch): co4_runtime_make() tells which. There
 * may be 65,535 runtimes and calls of co4_run() at a time, without threads 1,023; one more is as if
 * there were no memory. */
CO4_MUST_USE co4_runtime *co4_runtime_create(const co4_runtime_options *options);
int co4_runtime_make(co4_runtime **rt, const co4_runtime_options *options);

/* Starts the threads. CO4_OK; CO4_ESTATE when started before; CO4_EAGAIN or CO4_ENOMEM when the
 * system gives no thread: none runs then, and it may be tried again. CO4_EINVAL for NULL. */
int co4_runtime_start(co4_runtime *rt);

/* Hands over a prepared task (co4_task_create) to run on `rt`; NULL: on the current task's
 * runtime, else on the runtime started last. The caller keeps its share in the task. Any thread,
 * before or after the start. CO4_OK; CO4_ESTATE when it was scheduled before or there is no
 * runtime; CO4_EINVAL. */
int co4_runtime_schedule(co4_runtime *rt, co4_task *task);

/* Blocks until every task has stopped; those scheduled meanwhile included. The runtime stays
 * usable. Zero workers, or no threads in the build: runs the tasks right here. CO4_OK; CO4_ESTATE
 * when tasks wait and it was never started; CO4_EDEADLK inside a task, and when
 * nothing can end it, as co4_deadlock_detect() has it: the tasks stay as they are. */
int co4_runtime_join(co4_runtime *rt);

/* Stops the threads and frees the runtime. CO4_EBUSY, and nothing happens, while a task has
 * not stopped; CO4_EDEADLK on a thread of its own. NULL is CO4_OK. */
int co4_runtime_destroy(co4_runtime *rt);

/* Fires timers that are due and gives one step to each task that is ready; returns the number of
 * steps, 0 when there was nothing to do, or CO4_ESTATE when threads drive the runtime. Never
 * blocks. */
int co4_runtime_run_once(co4_runtime *rt);

/* When run_once has something to do next: 0 at once, a deadline on co4_now()'s clock, or
 * CO4_NEVER. For runtimes driven by run_once; called on the driving thread. */
int64_t co4_runtime_next_deadline(co4_runtime *rt);

/* A file descriptor that is readable when run_once has something to do at once: for poll() and its
 * like, beside the host's own. Timers are not in it: next_deadline says when they are due. run_once
 * makes it quiet again; nobody else reads from it or closes it. The first call makes it, on the
 * driving thread, and the runtime keeps it. Zero or more; CO4_ESTATE when the runtime was not made
 * with zero workers, in test mode, and where the system has none; CO4_EAGAIN when it gives none;
 * CO4_ENOMEM; CO4_EINVAL. */
int co4_runtime_wake_fd(co4_runtime *rt);

/* Tasks scheduled and not yet stopped, at some moment during the call. */
unsigned long long co4_runtime_tasks(co4_runtime *rt);

/* Its workers: at least 1, also when the host drives it. */
int co4_runtime_workers(const co4_runtime *rt);

/* The number of the worker on whose thread this is called, from 0; -1 on other threads. Inside
 * co4_run: 0. */
int co4_worker_here(void);

#ifdef __cplusplus
}
#endif

#endif
