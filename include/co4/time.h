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

/* The deadline that never comes. */
#define CO4_NEVER INT64_MAX

#define CO4_US  INT64_C(1000)
#define CO4_MS  INT64_C(1000000)
#define CO4_SEC INT64_C(1000000000)

/* Now, in nanoseconds. Never pauses; any thread. Deadlines are made of it: co4_now() + 5 * CO4_MS.
 */
int64_t co4_now(void);

/* Lets other ready tasks run first: the task goes to the end of the queue. Pauses; the thread does
 * not block. CO4_OK; CO4_ECANCELED of a task that is cancelled, which lets the others run all the
 * same; CO4_ESTATE inside a generator, which has no queue to go to. Plain: does nothing. */
pausable int co4_yield(void);

/* Pauses for `ns` nanoseconds; zero or less is co4_yield(). Other tasks use the thread meanwhile.
 * CO4_OK; CO4_ENOMEM when there is no memory for a timer (nothing was waited for); CO4_ESTATE
 * inside a generator. Plain: blocks the thread.
 */
pausable int co4_sleep(int64_t ns);

/* The same until the clock shows `deadline`. CO4_NEVER: CO4_EINVAL, for nothing could end it. */
pausable int co4_sleep_until(int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
