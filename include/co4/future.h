/* co4/future.h - a value that comes later, once.
 *
 *     co4_future *sum = co4_async(add_up(list));        runs as a task of its own
 *     …
 *     int total;
 *     int err = co4_future_await(sum, &total);          CO4_OK, CO4_ECANCELED, CO4_ENOMEM
 *     co4_future_release(sum);
 *
 * A future is done once it has its value or an error code; that never changes any more. Any number of tasks and threads may
 * wait for it, now or later; each gets a copy of the value. It has counted owners: co4_async() and co4_future_create() give
 * the caller a share, to be released once; what runs keeps one of its own until it is done, so a future may be released early.
 *
 * The future of a call is cancelled by cancelling its task (task.h): it hears it, and ends as it sees fit.
 *
 * (Gears: Future.apply, Promise, Future.withResolver, Task; its Try is the code and the value here.) */
#ifndef CO4_FUTURE_H
#define CO4_FUTURE_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"
#include "task.h"

typedef struct co4_future co4_future;

/* A future that the caller completes, for values of `size` bytes (0: none). NULL when out of memory. Any thread. (Gears: Promise.) */
co4_future *co4_future_create(size_t size);

/* co4_async(f(a)): the future of what f returns, scheduled where co4_spawn would. NULL when out of memory, or where there is
 * no runtime: nothing has run then. Its code is CO4_OK when f has returned, CO4_ECANCELED when it has returned after being
 * cancelled (the value is there all the same), CO4_ENOMEM when a frame could not be had. Plain: runs f at once. */

/* The future of a task that has been prepared and not yet scheduled; takes the caller's share in the task over, also when it
 * fails: NULL, out of memory or scheduled before. co4_future_start() schedules it. (Gears: Task, which is started later, or never.) */
co4_future *co4_future_of(co4_task *task);

/* Schedules it on the current runtime. CO4_OK; CO4_ESTATE when it was started before, is no task's, or there is no runtime;
 * CO4_EINVAL for NULL. */
int co4_future_start(co4_future *future);

/* Done, with a copy of *value (NULL only where size is 0). Any thread; never pauses. CO4_OK; CO4_ESTATE when it was done
 * before, and for the future of a task; CO4_EINVAL. */
int co4_future_complete(co4_future *future, const void *value);
/* Done, with an error: a negative code. */
int co4_future_fail(co4_future *future, int code);

/* Asks for its end: cancels the task with this reason; or, of a future that somebody completes, calls what
 * co4_future_on_cancel() was given and, if it is still not done, fails it with CO4_ECANCELED. Any thread; never pauses. CO4_OK, also when
 * it is done; CO4_EINVAL. */
int co4_future_cancel(co4_future *future, int reason);
/* To be called at most once, on the thread that cancels, without a lock. One a future; NULL takes it back. CO4_OK, CO4_ESTATE
 * for the future of a task, CO4_EINVAL. */
int co4_future_on_cancel(co4_future *future, void (*cancelled)(void *arg, co4_future *future),
                         void *arg);

/* Waits until it is done, copies the value to *out (NULL: not) and returns its code. As co4_await() and its kin: source.h. */
pausable int co4_future_await(co4_future *future, void *out);
pausable int co4_future_await_until(co4_future *future, void *out, int64_t deadline);
int co4_future_try(co4_future *future, void *out); /* CO4_EEMPTY while it is not done */
int co4_future_await_block(co4_future *future, void *out);
int co4_future_await_block_until(co4_future *future, void *out, int64_t deadline);

/* For co4_select(). NULL for NULL. */
co4_source *co4_future_source(co4_future *future);

/* One more owner; returns `future`. One owner less: the last one frees it; a task that was never started is dropped with it. */
co4_future *co4_future_retain(co4_future *future);
void co4_future_release(co4_future *future);

#endif
