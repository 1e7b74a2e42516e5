/* co4/task.h - tasks: pausable calls that co4_spawn() starts.
 *
 * A task is a pausable call that runs on its own, at some time, on some thread of a runtime:
 *
 *     READY --step--> RUNNING --waits--> PAUSED --woken--> READY …    RUNNING --ends--> STOPPED
 *                     RUNNING --yields--> READY
 *
 * Handles. A program that keeps the value of co4_spawn() has a reference: the handle names this
 * task and no other until it is released. If the program ignores the value, or only compares it,
 * there is nothing to release:
 *
 *     co4_spawn(log_it(line));                     nothing to release
 *     co4_task *t = co4_spawn(add_up(list));       a reference
 *     …
 *     int total, err = co4_join(t, &total);        waits, copies the result, releases
 *
 * co4_task_create(f(a)) gives a task that does not run yet, with a reference. Both return NULL when
 * out of memory; co4_spawn() also without a runtime to run on. Nothing has run then.
 *
 * Results. A task has the result of its function until it is freed. A negative int, long or long
 * long is an error code, with which the task fails: joins, futures, scopes, supervisors and exit
 * notices all give it. (Below INT_MIN + 3 it counts as that.) A function whose negative numbers are
 * no errors returns them in a struct, or by a pointer. If a task fails when all its handles are
 * released and none of these has it, the program's first one is reported on standard error, unless
 * it was cancelled. A function whose failure does not matter returns void. */
#ifndef CO4_TASK_H
#define CO4_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread that may use the handle, at the same time.
 * Ownership: the handle stays its owner's.
 * Since: 0.1. */

typedef struct co4_task co4_task;

/* The states of a task. */
typedef enum co4_task_state {
    CO4_TASK_READY,   /* can run, and waits for its turn; also: not yet scheduled */
    CO4_TASK_RUNNING, /* a thread is in it */
    CO4_TASK_PAUSED,  /* waits for a message, a timer, another task */
    CO4_TASK_STOPPED  /* has ended, for good */
} co4_task_state;

/* The name of a state: "ready", "running", "paused", "stopped".
 *
 * Returns: a constant string; "?" for another number.
 * Ownership: the string is static. */
const char *co4_task_state_name(co4_task_state state);

/* The calling task. Inside co4_run() it is the task of that call.
 *
 * Returns: the task; NULL outside tasks.
 * Ownership: the handle is borrowed. */
co4_task *co4_self(void);

/* The task's state, at some moment during the call.
 *
 * Returns: the state; CO4_TASK_STOPPED for NULL, a task whose allocation failed. */
co4_task_state co4_task_state_of(const co4_task *task);

/* How a stopped task has ended.
 *
 * Returns: CO4_OK when its function has returned; the negative number that it has returned.
 *     CO4_ENOMEM when a frame's allocation failed; CO4_ECANCELED when it was left waiting at the
 *     end of a co4_run(). CO4_EBUSY while it has not stopped; CO4_EINVAL for NULL. */
int co4_task_error(const co4_task *task);

/* Takes a reference.
 *
 * Returns: `task`, also NULL.
 * Ownership: the caller releases it once by co4_task_release(). */
co4_task *co4_task_retain(co4_task *task);

/* Releases a reference; the last one frees the task. A scheduled task lives until it has stopped. A
 * prepared task that was not scheduled is dropped with its arguments, and never runs. NULL does
 * nothing.
 *
 * Ownership: ends the caller's. */
void co4_task_release(co4_task *task);

/* Waits until `task` has stopped.
 *
 * Returns: the result of co4_task_error() then. CO4_EDEADLK for the calling task itself, and of
 *     co4_block inside a task; CO4_EINVAL for NULL; CO4_ESTATE inside a generator. _until:
 *     CO4_ETIMEDOUT, and CO4_ENOMEM for the timer; CO4_NOW: CO4_EBUSY instead of a wait.
 * Pauses: until then. Plain: blocks the thread.
 * Blocks: in a co4_block(), the thread, likewise.
 * Cancellation: CO4_ECANCELED; the other task goes on.
 * Thread safety: a caller with a reference, or one that knows that the task cannot stop before the
 *     call. */
pausable_or_block int co4_task_join(co4_task *task);
pausable_or_block int co4_task_join_until(co4_task *task, int64_t deadline);

/* Copies the result of a task that has stopped to *out, unless that is NULL.
 *
 * Returns: the result of co4_task_error(). If that is a code of the library, such as CO4_ENOMEM
 *     when a frame's allocation failed, and the result is no number, *out stays as it is. CO4_EBUSY
 *     while it has not stopped; CO4_EINVAL for NULL and another size.
 * Ownership: *out stays the caller's. */
int co4_task_result(const co4_task *task, void *out, size_t size);
#define co4_task_result(task, out) co4_task_result((task), (out), CO4_SIZE_OF(out))

/* Waits until `task` has stopped, copies its result to *out, unless that is NULL, and releases the
 * caller's reference.
 *
 * Returns: as co4_task_join() and co4_task_result() do.
 * Pauses: until then. Plain: blocks the thread.
 * Blocks: in a co4_block(), the thread, likewise.
 * Cancellation: CO4_ECANCELED; the other task goes on.
 * Thread safety: a caller with a reference.
 * Ownership: ends the caller's, also when the call fails. _until: only if the task has stopped.
 *     *out stays the caller's. */
pausable_or_block int co4_join(co4_task *task, void *out, size_t size);
pausable_or_block int co4_join_until(co4_task *task, void *out, size_t size, int64_t deadline);
#define co4_join(task, out) co4_join((task), (out), CO4_SIZE_OF(out))
#define co4_join_until(task, out, deadline)                                                        \
    co4_join_until((task), (out), CO4_SIZE_OF(out), (deadline))

/* Cancels `task`. Cancellation is cooperative: the pending call and all later pausing calls of this
 * library return CO4_ECANCELED at once, without having done anything. The task goes on from there,
 * and ends by itself. `reason` is for co4_task_cancelled(): a code of the table or a number of the
 * caller's; 0 means CO4_ECANCELED. The first reason stays.
 *
 * Returns: CO4_OK, also when it was cancelled before; CO4_ESTATE when it has stopped; CO4_EINVAL
 *     for NULL. CO4_ENOMEM when there is no memory to keep a reason below -64 or above 126 that is
 *     not in the table: the task is cancelled with CO4_ECANCELED instead.
 * Thread safety: a caller with a reference, or one that knows that the task has not stopped. */
int co4_task_cancel(co4_task *task, int reason);

/* Whether the task is cancelled. A task that computes for long without a pausing call asks: if
 * (co4_task_cancelled(co4_self())) return …
 *
 * Returns: the reason; 0 when it is not cancelled, and for NULL. */
int co4_task_cancelled(const co4_task *task);

/* A section in which the calling task is shielded: until the matching end its calls pause as if it
 * were not cancelled; the first call after it says so. Sections nest, to a depth of 255.
 *
 * Returns: CO4_OK; CO4_EFULL; CO4_ESTATE outside tasks, and for an end without a begin.
 * Thread safety: the calling task. */
int co4_shield_begin(void);
int co4_shield_end(void);

/* Defers call(arg) to the end of the calling task, for any cause. The newest call comes first:
 * after the task's function, before the end is visible to others, and on the thread that ends it.
 * It may not pause.
 *
 * Returns: CO4_OK, CO4_ENOMEM, CO4_EINVAL; CO4_ESTATE outside tasks.
 * Thread safety: the calling task.
 * Ownership: the object that `arg` points to is the caller's, and must live until then. */
CO4_MUST_USE int co4_defer(void (*call)(void *arg), void *arg);

/* Takes back the newest such call.
 *
 * Returns: CO4_OK; CO4_ESTATE when there is none; CO4_EINVAL.
 * Thread safety: the calling task. */
int co4_undefer(void (*call)(void *arg), void *arg);

/* Pins `task` to a worker of its runtime, from its next step on; -1: to none. A prepared task may
 * be pinned as well; co4_runtime_schedule() is CO4_EINVAL then where there is no such worker. A
 * pinned task waits for its worker, also when that is stuck. Inside a co4_run() there is worker 0
 * alone.
 *
 * Returns: CO4_OK; CO4_ENOMEM; CO4_EINVAL for NULL and where there is no such worker. */
int co4_task_pin(co4_task *task, int worker);

#define CO4_TASK_NAME_BYTES 32 /* with the NUL; longer names are cut */

/* Names the task, for people.
 *
 * Returns: CO4_OK, CO4_ENOMEM, CO4_EINVAL.
 * Ownership: the name is copied. */
int co4_task_set_name(co4_task *task, const char *name);

/* Copies the name, cut to room - 1 bytes.
 *
 * Returns: the name's length; 0 when it has none. */
size_t co4_task_name(const co4_task *task, char *out, size_t room);

/* The reason why the last co4_run() on this thread has failed. A co4_run() of a function that
 * returns an int returns that code itself. Any other result would look like the function's: such a
 * co4_run() prints the failure to standard error, and aborts. A program that has to go on uses
 * co4_run_checked().
 *
 * Returns: CO4_OK when it ended as it should; CO4_ENOMEM; CO4_EDEADLK when nothing could end its
 *     wait (co4_deadlock_detect).
 * Thread safety: the thread of that co4_run(). */
int co4_run_error(void);

/* For co4_run_checked(): the next co4_run() on this thread stores its code there, and does not
 * abort.
 *
 * Thread safety: the calling thread.
 * Ownership: *code is the caller's, and lives until that co4_run() is over. */
void co4_run_check(int *code);

#ifdef __cplusplus
}
#endif

#endif
