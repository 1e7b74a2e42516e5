/* co4/future.h - a value that comes later, once.
 *
 *     co4_future *sum = co4_async(add_up(list));        runs as a task of its own
 *     …
 *     int total;
 *     int err = co4_future_await(sum, &total);          a negative total is its error
 *     co4_future_release(sum);
 *
 * A future is done once it has its value or an error code, and never changes then. Any number of
 * tasks and threads may wait for it; each gets a copy of the value. It is reference-counted:
 * co4_async() and co4_future_create() give the caller a reference. The task holds one of its own
 * until it is done, so a future may be released early.
 *
 * The future of a call is cancelled by cancelling its task (task.h).
 *
 * Futures are made of futures: zip, all, alt, first. A collector gives them in the order in which
 * they are done. */
#ifndef CO4_FUTURE_H
#define CO4_FUTURE_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread with a reference, at the same time.
 * Ownership: the caller keeps its reference.
 * Since: 0.1. */

typedef struct co4_future co4_future;

/* Creates a future that the program completes, for values of `size` bytes; 0: none.
 *
 * Returns: the future; NULL when out of memory.
 * Ownership: the caller has a reference. */
CO4_MUST_USE co4_future *co4_future_create(size_t size);

/* co4_async(f(a)): the future of what f returns. f runs as a task, scheduled where co4_spawn()
 * would. Plain: runs f at once.
 *
 * Returns: the future; NULL, and nothing runs, when out of memory, or where there is no runtime.
 *     Its code is what f has returned if that is a negative number (task.h, "Results");
 *     CO4_ECANCELED when f has returned after being cancelled; otherwise CO4_OK. In all three cases
 *     the value is there. CO4_ENOMEM when a frame's allocation failed.
 * Ownership: the caller has a reference. */

/* co4_runtime_async(rt, f(a)): starts the task on the runtime `rt`; as co4_async(). */

/* The future of a task that was prepared and is not scheduled. co4_future_start() schedules it, as
 * may another holder of a reference to the task.
 *
 * Returns: the future; NULL when out of memory, and when the task was scheduled or has a future.
 * Ownership: the caller has a reference to the future. Its reference to the task is taken over,
 *     also when the call fails. */
CO4_MUST_USE co4_future *co4_future_of(co4_task *task);

/* Schedules the future's task on the current runtime.
 *
 * Returns: CO4_OK; CO4_ESTATE when it was started before, has no task, or there is no runtime;
 *     CO4_EINVAL for NULL. */
int co4_future_start(co4_future *future);

/* Completes the future with a copy of *value, which may be NULL when the future's size is 0.
 *
 * Returns: CO4_OK; CO4_ESTATE when it was done before, and for the future of a task; CO4_EINVAL for
 *     NULL and another size. */
int co4_future_complete(co4_future *future, const void *value, size_t size);
#define co4_future_complete(future, ...)                                                           \
    co4_future_complete((future), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
/* Completes the future with an error, a negative code.
 *
 * Returns: CO4_OK; CO4_ESTATE as above; CO4_EINVAL for NULL, and for a code that is not
 *     negative or below INT_MIN + 3. */
int co4_future_fail(co4_future *future, int code);

/* Asks for the future's end, and does not wait for it: until the future is done, its task may still
 * use what it was given. That task is cancelled with this reason. Of a future that the program
 * completes the function of co4_future_on_cancel() is called; if it is not done then,
 * it fails with CO4_ECANCELED.
 *
 * Returns: CO4_OK, also when it is done; CO4_EINVAL for NULL. */
int co4_future_cancel(co4_future *future, int reason);

/* Sets the call that co4_future_cancel() makes, at most once, on its thread and without a lock;
 * NULL removes it.
 *
 * Returns: CO4_OK; CO4_ESTATE for the future of a task; CO4_EINVAL for NULL.
 * Ownership: the object that `arg` points to is the caller's. */
CO4_MUST_USE int co4_future_on_cancel(co4_future *future,
                                      void (*cancelled)(void *arg, co4_future *future), void *arg);

/* Waits until the future is done, and copies its value to *out, unless that is NULL.
 *
 * Returns: the future's code. CO4_EINVAL for NULL and another size; CO4_ESTATE inside a generator.
 *     CO4_NOW: CO4_EEMPTY instead of a wait. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer.
 *     co4_block: CO4_EDEADLK inside a task, and when nothing could end the wait.
 * Pauses: until it is done. Plain: blocks the thread.
 * Blocks: in a co4_block(), the thread, likewise.
 * Cancellation: CO4_ECANCELED of the caller; the future goes on. */
pausable_or_block int co4_future_await(co4_future *future, void *out, size_t size);
pausable_or_block int co4_future_await_until(co4_future *future, void *out, size_t size,
                                             int64_t deadline);
#define co4_future_await(future, out) co4_future_await((future), (out), CO4_SIZE_OF(out))
#define co4_future_await_until(future, out, deadline)                                              \
    co4_future_await_until((future), (out), CO4_SIZE_OF(out), (deadline))

/* The future as a source (source.h).
 *
 * Returns: the source; NULL for NULL.
 * Ownership: the source is part of the future. */
co4_source *co4_future_source(co4_future *future);

/* ---- futures of futures ----
 *
 * Unless a function says otherwise: a future of futures is done on the thread that makes it so; no
 * task is needed. It cannot be completed or failed by the program. With CO4_FUTURE_CANCEL in
 * `flags` the other futures are cancelled once the outcome is certain, and all when the whole is
 * cancelled. They are not waited for: use a scope where that matters (group.h). Without the flag
 * they go on, and cancelling only ends the waiting.
 *
 * Returns: the future; NULL, and nothing has happened, when out of memory, for NULL, for no
 *     futures, for sizes that do not fit, and for one that is nested deeper than CO4_NEST_MAX.
 * Ownership: the caller has a reference. The future has references of its own to its parts. */

/* A flag: the other futures are cancelled, too. */
#define CO4_FUTURE_CANCEL 1

/* Both values, or the first error. The value has `size` bytes: a's at `at_a`, b's at `at_b`.
 *
 * Returns: as above.
 * Ownership: as above. */
CO4_MUST_USE co4_future *co4_future_zip(co4_future *a, size_t at_a, co4_future *b, size_t at_b,
                                        size_t size, int flags);
/* The same for a struct with a member for each: CO4_FUTURE_ZIP(struct pair, f, left, g, right,
 * 0). */
#define CO4_FUTURE_ZIP(type, a, member_a, b, member_b, flags)                                      \
    co4_future_zip((a), offsetof(type, member_a), (b), offsetof(type, member_b), sizeof(type),     \
                   (flags))
/* All values, an array in the order of `futures`, which are of one size; or the first error.
 *
 * Returns: as above.
 * Ownership: as above. */
CO4_MUST_USE co4_future *co4_future_all(co4_future *const *futures, int count, int flags);

/* The first value; when all have failed, the last error. The futures are of one size.
 *
 * Returns: as above.
 * Ownership: as above. */
CO4_MUST_USE co4_future *co4_future_alt(co4_future *const *futures, int count, int flags);

/* Combines futures of one size: the first that is done, value or error.
 *
 * Returns: as above.
 * Ownership: as above. */
CO4_MUST_USE co4_future *co4_future_first(co4_future *const *futures, int count, int flags);

/* Which part decided: of alt and first the one that it is from, of zip (0, 1) and all the one that
 * failed or was last.
 *
 * Returns: its number; -1 when it is not done, was cancelled, or is not made of others. */
int co4_future_winner(const co4_future *future);

/* ---- collectors ---- */

typedef struct co4_collector co4_collector;

/* Creates a collector.
 *
 * Returns: the collector; NULL when out of memory.
 * Ownership: the caller's, until co4_collector_destroy(). */
CO4_MUST_USE co4_collector *co4_collector_create(void);

/* Frees the collector, and releases the futures in it. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing happens, while a task or thread waits in it.
 * Thread safety: no other call may begin from now on.
 * Ownership: ends the caller's. */
int co4_collector_destroy(co4_collector *collector);

/* Adds a future. Once it is done a call of co4_collector_next() gives it.
 *
 * Returns: CO4_OK; CO4_ENOMEM; CO4_ECLOSED; CO4_EINVAL for NULL.
 * Thread safety: any task and thread.
 * Ownership: the collector has a reference of its own. */
CO4_MUST_USE int co4_collector_add(co4_collector *collector, co4_future *future);

/* Closes the collector: nothing more is added, and after the last future co4_collector_next() is
 * CO4_ECLOSED.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL.
 * Thread safety: any task and thread. */
int co4_collector_close(co4_collector *collector);

/* Futures that are not done yet.
 *
 * Returns: the number; 0 for NULL.
 * Thread safety: any task and thread. */
size_t co4_collector_pending(co4_collector *collector);

/* Waits for the next future that is done, in the order in which they are.
 *
 * Returns: CO4_OK; CO4_ECLOSED; CO4_EINVAL for NULL; CO4_ESTATE inside a generator. _until:
 *     CO4_ETIMEDOUT, and CO4_ENOMEM for the timer.
 * Pauses: while none is done.
 * Cancellation: CO4_ECANCELED, and no future is lost.
 * Thread safety: any number of tasks; each future goes to one of them.
 * Ownership: the caller gets a reference to *future. */
pausable_or_block int co4_collector_next(co4_collector *collector, co4_future **future);
pausable_or_block int co4_collector_next_until(co4_collector *collector, co4_future **future,
                                               int64_t deadline);

/* The same as a source, whose values are co4_future *.
 *
 * Returns: the source; NULL for NULL.
 * Ownership: each value comes with a reference. The source is part of the collector. */
co4_source *co4_collector_source(co4_collector *collector);

/* retain: takes a reference. release: releases one; the last frees the future, and drops a task
 * that was never started. NULL does nothing.
 *
 * Returns: retain: `future`, also NULL.
 * Ownership: one release for each reference. */
co4_future *co4_future_retain(co4_future *future);
void co4_future_release(co4_future *future);

#ifdef __cplusplus
}
#endif

#endif
