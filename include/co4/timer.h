/* co4/timer.h - moments to wait for, among other things.
 *
 *     co4_timer timer;
 *     co4_timer_init(&timer);
 *     co4_timer_start(&timer, co4_now() + 5 * CO4_MS);
 *     co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
 *                          CO4_CASE(co4_timer_source(&timer), NULL) };
 *     …
 *     co4_timer_destroy(&timer);
 *
 * A timer is one moment. Once that has passed the timer is ready for all waiters, until it is
 * started again or stopped. A ticker has a moment every period: the n-th is n periods after the
 * first, however late the ones before were noticed. Ticks that no waiter took are not lost and do
 * not come in a bunch: the next waiter gets their number.
 *
 * A timer costs nothing while no task waits for it. Each waiter embeds a node in the timer heap of
 * its worker; nothing is allocated. Tasks and blocked threads wait by co4_await(), co4_select(),
 * co4_block(co4_await(…)) and so on (source.h). */
#ifndef CO4_TIMER_H
#define CO4_TIMER_H

#include <stdint.h>

#include "mark.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: the timer stays the caller's.
 * Since: 0.1. */

/* A moment. The memory is the caller's; co4_timer_init() prepares it. */
typedef struct co4_timer {
    co4_source source;
    long long co4_private[7];
} co4_timer;

/* Makes a timer that is not running.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL.
 * Ownership: the memory is the caller's, and must not move until co4_timer_destroy(). */
int co4_timer_init(co4_timer *timer);

/* Ends the use of the timer's memory. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing happens, while a task or thread waits for it.
 * Ownership: the memory is free for other use. */
int co4_timer_destroy(co4_timer *timer);

/* Sets the moment to `deadline`, whatever it was before, also for tasks that wait already.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL and CO4_NEVER. */
int co4_timer_start(co4_timer *timer, int64_t deadline);

/* Takes the moment away. Waiters go on waiting until the timer is started.
 *
 * Returns: CO4_OK; CO4_ESTATE when it was not running, or its moment has passed; CO4_EINVAL for
 *     NULL. */
int co4_timer_stop(co4_timer *timer);

/* Its moment.
 *
 * Returns: the time; CO4_NEVER when it is not running, and for NULL. */
int64_t co4_timer_deadline(co4_timer *timer);

/* The timer as a source, ready from its moment on, without a value.
 *
 * Returns: the source; NULL for NULL. A wait for it is CO4_ENOMEM when out of memory. Adding a
 *     listener of one's own (source.h) is CO4_ESTATE on a thread that is neither a worker nor in a
 *     wait of this library: it would not look at the clock.
 * Ownership: the source is part of the timer. */
co4_source *co4_timer_source(co4_timer *timer);

/* A moment in every period. The memory is the caller's; co4_ticker_init() prepares it. */
typedef struct co4_ticker {
    co4_timer timer;
} co4_ticker;

/* As co4_timer_init() and co4_timer_destroy().
 *
 * Returns: as those.
 * Ownership: as of those. */
int co4_ticker_init(co4_ticker *ticker);
int co4_ticker_destroy(co4_ticker *ticker);

/* Ticks at `first`, and every `period` nanoseconds from then on. Forgets earlier ticks.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, for a period below 1 and for CO4_NEVER. */
int co4_ticker_start(co4_ticker *ticker, int64_t first, int64_t period);

/* Stops it, and forgets the ticks that no waiter took.
 *
 * Returns: CO4_OK; CO4_ESTATE when it was not running; CO4_EINVAL for NULL. */
int co4_ticker_stop(co4_ticker *ticker);

/* The time of the first tick that no waiter has taken yet.
 *
 * Returns: the time; CO4_NEVER when it is not running, and for NULL. */
int64_t co4_ticker_deadline(co4_ticker *ticker);

/* The ticks as a source. Its value is a uint64_t: the ticks since the last value, at least one.
 * Each tick goes to one waiter.
 *
 * Returns: the source; NULL for NULL.
 * Ownership: the source is part of the ticker. */
co4_source *co4_ticker_source(co4_ticker *ticker);

#ifdef __cplusplus
}
#endif

#endif
