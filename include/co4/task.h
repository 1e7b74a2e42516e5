/* co4/task.h - tasks: what co4_spawn() starts.
 *
 * A task is a pausable call that runs on its own, at some time, on some thread of a runtime:
 *
 *     READY --step--> RUNNING --waits--> PAUSED --woken--> READY …          RUNNING --ends--> STOPPED
 *                     RUNNING --gives way--> READY
 *
 * Handles. `co4_spawn(f(a))` lends a handle: it is good until the task stops, and the caller owes
 * nothing, so ignoring it leaks nothing. The task may stop at any moment on another thread, hence
 * use a lent handle only where you know that it still waits (for a message from you, say). Code
 * that wants to join a task, or look at it later, owns it instead:
 *
 *     co4_task *t = co4_task_create(f(a));      prepared, not running, owned by us
 *     co4_runtime_schedule(NULL, t);            on the runtime we are running on
 *     co4_task_join(t);
 *     co4_task_release(t);
 *
 * co4_spawn() and co4_task_create() return NULL when out of memory; co4_spawn() also when
 * there is no runtime to run on. Nothing has run then, and nothing is kept. */
#ifndef CO4_TASK_H
#define CO4_TASK_H

#include <stdint.h>

#include "mark.h"

typedef struct co4_task co4_task;

typedef enum co4_task_state {
    CO4_TASK_READY,   /* has something to do and waits for its turn; also: not yet scheduled */
    CO4_TASK_RUNNING, /* a thread is in it */
    CO4_TASK_PAUSED,  /* waits for a message, a timer, another task */
    CO4_TASK_STOPPED  /* has ended, for good */
} co4_task_state;

/* "ready", "running", "paused", "stopped". */
const char *co4_task_state_name(co4_task_state state);

/* The task that calls; NULL outside tasks. Inside co4_run() it is the task of that call. The
 * handle is lent. */
co4_task *co4_self(void);

/* The state at some moment during the call. Any thread. */
co4_task_state co4_task_state_of(const co4_task *task);

/* How a stopped task has ended: CO4_OK when its function returned, CO4_ENOMEM when a frame could
 * not be had, CO4_ECANCELED when it was left waiting where nothing could wake it (at the end of
 * co4_run). CO4_EBUSY while it has not stopped. */
int co4_task_error(const co4_task *task);

/* One more owner; returns `task`. Any thread. */
co4_task *co4_task_retain(co4_task *task);

/* One owner less. The last one frees it; a task that was scheduled lives on until it has stopped.
 * A prepared task that nobody scheduled is dropped with its arguments, and never runs. NULL does
 * nothing. */
void co4_task_release(co4_task *task);

/* Pauses until `task` has stopped; returns what co4_task_error() then says. CO4_EDEADLK for the
 * calling task itself, CO4_EINVAL for NULL, CO4_ESTATE inside a generator. The caller owns `task`
 * or knows that it cannot stop before this call. Plain: co4_task_join_block(). (Kilim: Task.join.)
 */
pausable int co4_task_join(co4_task *task);

/* The same for a thread that is not inside a task: blocks it. CO4_EDEADLK inside a task.
 * (Kilim: Task.joinb.) */
int co4_task_join_block(co4_task *task);

/* Why the last co4_run() on this thread came to nothing: CO4_OK when it ended as it should,
 * CO4_ENOMEM when memory ran out (its value is then zero), CO4_EDEADLK when it waited for what
 * could never come (builds without threads only; with threads another thread might still send it).
 */
int co4_run_error(void);

#endif
