/* co4/time.h - the clock, sleeping, yielding.
 *
 * Time is a signed count of nanoseconds on a clock that never jumps back and has nothing to do
 * with the time of day. Durations are relative; every deadline is absolute on that clock, so that
 * a loop around a waiting call does not stretch its limit. */
#ifndef CO4_TIME_H
#define CO4_TIME_H

#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A microsecond, a millisecond, a second, in nanoseconds. */
#define CO4_US  INT64_C(1000)
#define CO4_MS  INT64_C(1000000)
#define CO4_SEC INT64_C(1000000000)

/* Unless a function says otherwise:
 *
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* The present time.
 *
 * Returns: nanoseconds on this clock; never negative.
 * Blocks: never.
 * Thread safety: any task and thread. */
int64_t co4_now(void);

/* The deadline in `ns` nanoseconds: co4_after(5 * CO4_SEC).
 *
 * Returns: that time on this clock, and at most CO4_NEVER.
 * Blocks: never.
 * Thread safety: any task and thread. */
int64_t co4_after(int64_t ns);

/* Lets other ready tasks run first: the calling task goes to the end of the queue. Plain: does
 * nothing.
 *
 * Returns: CO4_OK; CO4_ESTATE inside a generator, which has no queue to go to.
 * Pauses: always, until the task's next turn.
 * Cancellation: CO4_ECANCELED; the others have run all the same.
 * Thread safety: the calling task. */
pausable int co4_yield(void);

/* Sleeps for `ns` nanoseconds; zero or less is co4_yield(). Other tasks use the thread meanwhile.
 * Plain: blocks the thread.
 *
 * Returns: CO4_OK; CO4_ENOMEM when there is no memory for a timer, and CO4_ESTATE inside a
 *     generator, both at once.
 * Pauses: for the time.
 * Cancellation: CO4_ECANCELED, at once.
 * Thread safety: the calling task. */
pausable_or_block int co4_sleep(int64_t ns);

/* The same until the clock shows `deadline`.
 *
 * Returns: as co4_sleep(); CO4_EINVAL for CO4_NEVER, which nothing could end.
 * Pauses: until then.
 * Cancellation: CO4_ECANCELED, at once.
 * Thread safety: the calling task. */
pausable_or_block int co4_sleep_until(int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
