/* co4/timer.h - moments to wait for, among other things.
 *
 *     co4_timer timer;
 *     co4_timer_init(&timer);
 *     co4_timer_start(&timer, co4_now() + 5 * CO4_MS);
 *     co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
 *                          CO4_CASE(co4_timer_source(&timer), NULL) };
 *     …
 *     co4_timer_fini(&timer);
 *
 * A timer is one moment, which passes once: from then on it is ready for everyone, until it is
 * started anew or stopped. A ticker has a moment every period, on the monotonic clock: the n-th is
 * n periods after the first, however late the ones before were noticed. Ticks that nobody took are
 * not lost and do not come in a bunch: the next to ask is given their number.
 *
 * Timers cost nothing while nobody waits. Who waits has its place in the heap of its own worker, in
 * the memory of its wait: so nothing is allocated, and nothing can be CO4_ENOMEM. Any thread may
 * start and stop them; any task or blocked thread may wait: co4_await(), co4_select(),
 * co4_await_block() and so on (source.h).
 *
 * The memory is the caller's, and must not move between init and fini. None of these functions
 * pauses. They return CO4_OK or a negative code; CO4_EINVAL for NULL.
 * */
#ifndef CO4_TIMER_H
#define CO4_TIMER_H

#include <stdint.h>

#include "mark.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_timer {
    co4_source source;
    long long co4_private[7];
} co4_timer;

/* Not running. */
int co4_timer_init(co4_timer *timer);
/* CO4_EBUSY, and nothing happens, while a task or thread waits for it; else the memory is free to
 * be reused. NULL is CO4_OK. */
int co4_timer_fini(co4_timer *timer);

/* From now on its moment is `deadline`, whatever it was before, also for those who wait already.
 * CO4_EINVAL for CO4_NEVER. */
int co4_timer_start(co4_timer *timer, int64_t deadline);
/* It has no moment any more; who waits goes on waiting, for it to be started. CO4_ESTATE: it was
 * not running, or its moment had passed. */
int co4_timer_stop(co4_timer *timer);
/* Its moment; CO4_NEVER when it is not running. */
int64_t co4_timer_deadline(co4_timer *timer);

/* Ready from its moment on; gives no value. NULL for NULL. A listener of one's own (source.h) is
 * added on a thread that is a worker, or by a wait of this library: elsewhere nobody would look at
 * the clock, and add is CO4_ESTATE. */
co4_source *co4_timer_source(co4_timer *timer);

typedef struct co4_ticker {
    co4_timer timer;
} co4_ticker;

int co4_ticker_init(co4_ticker *ticker);
int co4_ticker_fini(co4_ticker *ticker);

/* Ticks at `first`, and every `period` nanoseconds from then on. Forgets earlier ticks that nobody
 * took. CO4_EINVAL for a period below 1 and for CO4_NEVER. */
int co4_ticker_start(co4_ticker *ticker, int64_t first, int64_t period);
/* Ticks that nobody took are forgotten. CO4_ESTATE: it was not running. */
int co4_ticker_stop(co4_ticker *ticker);
/* When the first tick comes, or came, that nobody has taken; CO4_NEVER when it is not running. */
int64_t co4_ticker_deadline(co4_ticker *ticker);

/* Gives a uint64_t, how many ticks there have been since the last that was given: at least one.
 * Each tick is given once, to one of those who wait. */
co4_source *co4_ticker_source(co4_ticker *ticker);

#ifdef __cplusplus
}
#endif

#endif
