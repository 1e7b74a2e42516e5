/* co4/task.h - tasks: what co4_spawn() starts.
 *
 * A task is a pausable call that runs on its own, at some time, on some thread of a runtime:
 *
 *     READY --step--> RUNNING --waits--> PAUSED --woken--> READY …    RUNNING --ends--> STOPPED
 *                     RUNNING --yields--> READY
 *
 * Handles. `co4_spawn(f(a))` lends a handle: it is good until the task stops, and the caller owes
 * nothing, so ignoring it leaks nothing. The task may stop at any moment on another thread, hence
 * use a borrowed handle only where you know that it still waits (for a message from you, say). Code
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

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * handle is borrowed. */
co4_task *co4_self(void);

/* The state at some moment during the call; of NULL, a task whose allocation failed,
 * CO4_TASK_STOPPED. Any thread. */
co4_task_state co4_task_state_of(const co4_task *task);

/* How a stopped task has ended: CO4_OK when its function returned, CO4_ENOMEM when a frame could
 * not be had, CO4_ECANCELED when it was left waiting where nothing could wake it (at the end of
 * co4_run). CO4_EBUSY while it has not stopped; CO4_EINVAL for NULL. */
int co4_task_error(const co4_task *task);

/* One more owner; returns `task`, also NULL. Any thread. */
co4_task *co4_task_retain(co4_task *task);

/* One owner less. The last one frees it; a task that was scheduled lives on until it has stopped.
 * A prepared task that nobody scheduled is dropped with its arguments, and never runs. NULL does
 * nothing. */
void co4_task_release(co4_task *task);

/* Pauses until `task` has stopped; returns what co4_task_error() then says. CO4_EDEADLK for the
 * calling task itself, CO4_EINVAL for NULL, CO4_ESTATE inside a generator, CO4_ECANCELED when the
 * caller is cancelled. The caller owns `task` or knows that it cannot stop before this call. Plain:
 * co4_task_join_block(). */
pausable int co4_task_join(co4_task *task);

/* The same up to a deadline: CO4_ETIMEDOUT; CO4_ENOMEM, for the timer. */
pausable int co4_task_join_until(co4_task *task, int64_t deadline);

/* The same for a thread that is not inside a task: blocks it. CO4_EDEADLK inside a task. */
int co4_task_join_block(co4_task *task);
int co4_task_join_block_until(co4_task *task, int64_t deadline);

/* Cancels `task`: the call in which it waits, and every call of a pausable function of this library
 * that it makes from now on, returns CO4_ECANCELED at once; what the call was to do has not been
 * done. The task goes on from there, and ends as it sees fit. `reason` is for co4_task_cancelled():
 * a code of the table or a number of the caller's; 0 stands for CO4_ECANCELED. The first reason
 * stays. Never pauses; any thread; the caller owns a share in `task`, or knows
 * that it has not stopped. CO4_OK, also when it was cancelled before; CO4_ESTATE when it has
 * stopped; CO4_EINVAL for NULL; CO4_ENOMEM for a reason below -64 or above 126 that is not in the
 * table, when there is no memory to keep it: the task is cancelled with CO4_ECANCELED instead. */
int co4_task_cancel(co4_task *task, int reason);

/* The reason for which it was cancelled; 0 when it was not. Any thread. For a task that computes
 * for long without a call that pauses: if (co4_task_cancelled(co4_self())) return … */
int co4_task_cancelled(const co4_task *task);

/* A section of the calling task that is not to be cancelled: until the matching end its calls pause
 * as if nothing were; a cancellation that comes meanwhile is told by the first one after. Sections
 * nest, to a depth of 255 (CO4_EFULL). CO4_ESTATE outside tasks, and for an end without a begin. */
int co4_shield_begin(void);
int co4_shield_end(void);

/* Has call(arg) called when the calling task ends: newest first, after its function has returned or
 * was given up, before anyone learns of the end; also when it is cancelled or out of memory. On the
 * thread that ends it; it may not pause. CO4_OK, CO4_ENOMEM, CO4_EINVAL; CO4_ESTATE outside
 * tasks. */
CO4_MUST_USE int co4_defer(void (*call)(void *arg), void *arg);
/* Takes the newest such call back. CO4_ESTATE: there is none. */
int co4_undefer(void (*call)(void *arg), void *arg);

/* From its next step on `task` runs on this worker of its runtime only; -1: on any. A task that is
 * prepared may be pinned as well; co4_runtime_schedule() is CO4_EINVAL where there is no such
 * worker. Never pauses; any thread that may use the handle. A task pinned to a worker that is stuck
 * waits for that worker. CO4_OK, CO4_ENOMEM; CO4_EINVAL for NULL and where there is no such worker.
 * Inside a co4_run() there is worker 0 alone. */
int co4_task_pin(co4_task *task, int worker);

#define CO4_TASK_NAME_BYTES 32 /* with the NUL; longer names are cut */

/* A name for people. Any thread that may use the handle. CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
int co4_task_set_name(co4_task *task, const char *name);
/* Copies it, cut to room - 1 bytes; "" when it has none. Returns its length. */
size_t co4_task_name(const co4_task *task, char *out, size_t room);

/* Why the last co4_run() on this thread came to nothing: CO4_OK when it ended as it should,
 * CO4_ENOMEM when memory ran out, CO4_EDEADLK when it waited for what could never come: see
 * co4_deadlock_detect().
 *
 * A co4_run() of a function that returns an int returns that code itself then. Any other result
 * would be taken for what the function returned: such a co4_run() says on standard error what has
 * happened, and aborts. A program that is to go on asks for the code: see co4_run_checked(). */
int co4_run_error(void);

/* What co4_run_checked() asks: the next co4_run() on this thread stores its code there when it is
 * over, and does not abort. */
void co4_run_check(int *code);

#ifdef __cplusplus
}
#endif

#endif
