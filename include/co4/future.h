/* co4/future.h - a value that comes later, once.
 *
 *     co4_future *sum = co4_async(add_up(list));        runs as a task of its own
 *     …
 *     int total;
 *     int err = co4_future_await(sum, &total);          CO4_OK, CO4_ECANCELED, CO4_ENOMEM
 *     co4_future_release(sum);
 *
 * A future is done once it has its value or an error code; that never changes any more. Any number
 * of tasks and threads may wait for it, now or later; each gets a copy of the value. It has counted
 * owners: co4_async() and co4_future_create() give the caller a share, to be released once; what
 * runs keeps one of its own until it is done, so a future may be released early.
 *
 * The future of a call is cancelled by cancelling its task (task.h): it hears it, and ends as it
 * sees fit.
 *
 * Futures are made of futures: zip, all, alt, first. A collector gives them in the order in which
 * they are done.
 * */
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

typedef struct co4_future co4_future;

/* A future that the caller completes, for values of `size` bytes (0: none). NULL when out of
 * memory. Any thread. */
CO4_MUST_USE co4_future *co4_future_create(size_t size);

/* co4_async(f(a)): the future of what f returns, scheduled where co4_spawn would. NULL when out of
 * memory, or where there is no runtime: nothing has run then. Its code is CO4_OK when f has
 * returned, CO4_ECANCELED when it has returned after being cancelled (the value is there all the
 * same), CO4_ENOMEM when a frame's allocation failed. Plain: runs f at once. */

/* co4_async_code(f(a)): the same for an f that returns an int that is a code: a negative one is the
 * future's error, so that zip, all, alt and who awaits it take it for one. Does not compile for
 * other results. */

/* The future of a task that has been prepared and not yet scheduled; takes the caller's share in
 * the task over, also when it fails: NULL, out of memory, scheduled before, or it has one.
 * co4_future_start() schedules it; so may who has another share in it, as any task. */
CO4_MUST_USE co4_future *co4_future_of(co4_task *task);
/* The same, when its function returns an int that is a code, as co4_async_code(). */
CO4_MUST_USE co4_future *co4_future_of_code(co4_task *task);

/* Schedules it on the current runtime. CO4_OK; CO4_ESTATE when it was started before, is no task's,
 * or there is no runtime; CO4_EINVAL for NULL. */
int co4_future_start(co4_future *future);

/* Done, with a copy of *value (NULL only where size is 0). Any thread; never pauses. CO4_OK;
 * CO4_ESTATE when it was done before, and for the future of a task; CO4_EINVAL. */
int co4_future_complete_sized(co4_future *future, const void *value, size_t size);
#define co4_future_complete(future, ...)                                                           \
    co4_future_complete_sized((future), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
/* Done, with an error: a negative code. */
int co4_future_fail(co4_future *future, int code);

/* Asks for its end: cancels the task with this reason; or, of a future that the program completes,
 * calls what co4_future_on_cancel() was given and, if it is still not done, fails it with
 * CO4_ECANCELED. Any thread; never pauses. CO4_OK, also when it is done; CO4_EINVAL. */
int co4_future_cancel(co4_future *future, int reason);
/* To be called at most once, on the thread that cancels, without a lock. One a future; NULL takes
 * it back. CO4_OK, CO4_ESTATE for the future of a task, CO4_EINVAL. */
CO4_MUST_USE int co4_future_on_cancel(co4_future *future,
                                      void (*cancelled)(void *arg, co4_future *future), void *arg);

/* Waits until it is done, copies the value to *out (NULL: not) and returns its code. As co4_await()
 * and its kin: source.h. */
pausable int co4_future_await_sized(co4_future *future, void *out, size_t size);
pausable int co4_future_await_until_sized(co4_future *future, void *out, size_t size,
                                          int64_t deadline);
CO4_MUST_USE int co4_future_try_await_sized(co4_future *future, void *out,
                                            size_t size); /* CO4_EEMPTY while it is not done */
int co4_future_await_block_sized(co4_future *future, void *out, size_t size);
int co4_future_await_block_until_sized(co4_future *future, void *out, size_t size,
                                       int64_t deadline);
#define co4_future_await(future, out) co4_future_await_sized((future), (out), CO4_SIZE_OF(out))
#define co4_future_await_until(future, out, deadline)                                              \
    co4_future_await_until_sized((future), (out), CO4_SIZE_OF(out), (deadline))
#define co4_future_try_await(future, out)                                                          \
    co4_future_try_await_sized((future), (out), CO4_SIZE_OF(out))
#define co4_future_await_block(future, out)                                                        \
    co4_future_await_block_sized((future), (out), CO4_SIZE_OF(out))
#define co4_future_await_block_until(future, out, deadline)                                        \
    co4_future_await_block_until_sized((future), (out), CO4_SIZE_OF(out), (deadline))

/* For co4_select(). NULL for NULL. */
co4_source *co4_future_source(co4_future *future);

/* ---- futures of futures ----
 *
 * Each gives a new future that the caller owns; it keeps shares of its own in those it is made of
 * until it goes. Nothing waits, and no task is needed: it is done on the thread that makes it so.
 * NULL when out of memory or for arguments that are not acceptable: NULL, no futures, sizes that do
 * not fit; nothing has happened then. It cannot be completed or failed by hand.
 *
 * With CO4_FUTURE_CANCEL in `flags` all others are cancelled once the outcome is certain, and all
 * when it is cancelled itself. They are not waited for: a task hears it and ends as it sees fit,
 * later. (Use a scope where that matters: group.h.) Without the flag they go on, and cancelling
 * only ends the waiting. */
#define CO4_FUTURE_CANCEL 1

/* Both values, or the first error. The value has `size` bytes: a's at `at_a`, b's at `at_b`. */
CO4_MUST_USE co4_future *co4_future_zip(co4_future *a, size_t at_a, co4_future *b, size_t at_b,
                                        size_t size, int flags);
/* The same for a struct with a member for each: CO4_FUTURE_ZIP(struct pair, f, left, g, right,
 * 0). */
#define CO4_FUTURE_ZIP(type, a, member_a, b, member_b, flags)                                      \
    co4_future_zip((a), offsetof(type, member_a), (b), offsetof(type, member_b), sizeof(type),     \
                   (flags))
/* All values, an array in the order of `futures`, which are of one size; or the first error. */
CO4_MUST_USE co4_future *co4_future_all(co4_future *const *futures, int count, int flags);
/* The first value; when all have failed, the last error. Of one size. */
CO4_MUST_USE co4_future *co4_future_alt(co4_future *const *futures, int count, int flags);
/* What ends first, value or error. Of one size. */
CO4_MUST_USE co4_future *co4_future_first(co4_future *const *futures, int count, int flags);
/* Which one was the last to matter: of alt and first the one it is from, of zip (0, 1) and all the
 * one that failed or was last. -1: it is not done, was cancelled, or is not made of others. */
int co4_future_winner(const co4_future *future);

/* ---- collectors ---- */

typedef struct co4_collector co4_collector;

/* The caller owns it. NULL when out of memory. */
CO4_MUST_USE co4_collector *co4_collector_create(void);
/* Releases all futures in it. CO4_EBUSY, and nothing happens, while a task or thread waits in it.
 * NULL is CO4_OK. */
int co4_collector_destroy(co4_collector *collector);

/* Once `future` is done the next call of co4_collector_next() gives it, with a reference. Any
 * thread; never pauses. CO4_OK; CO4_ENOMEM; CO4_ECLOSED; CO4_EINVAL. */
CO4_MUST_USE int co4_collector_add(co4_collector *collector, co4_future *future);
/* No more will be added: when all have been given, asking is CO4_ECLOSED. */
int co4_collector_close(co4_collector *collector);
/* Futures that are not done yet. */
size_t co4_collector_pending(co4_collector *collector);

/* Waits for the next future that is done, in the order in which they are; the caller owns a share
 * in it. CO4_ECLOSED; else as co4_await(). */
pausable int co4_collector_next(co4_collector *collector, co4_future **future);
pausable int co4_collector_next_until(co4_collector *collector, co4_future **future,
                                      int64_t deadline);
/* The same as a source: its values are co4_future *, each with a share for who gets it. */
co4_source *co4_collector_source(co4_collector *collector);

/* One more owner; returns `future`, also NULL. One owner less (NULL does nothing): the last one
 * frees it; a task that was never started is dropped with it. */
co4_future *co4_future_retain(co4_future *future);
void co4_future_release(co4_future *future);

#ifdef __cplusplus
}
#endif

#endif
