/* co4/combine.h - sources made of sources.
 *
 * Each function takes sources and gives one: to be waited for by co4_await(), be a case of
 * co4_select(), or go into another of these, up to CO4_NEST_MAX deep. Of all sources in one wait
 * exactly one takes effect:
 *
 *     co4_filtering even;
 *     co4_timed timed;
 *     co4_source *s = co4_source_until(
 *         &timed, co4_source_filter(&even, co4_mailbox_source(in), is_even, NULL), deadline);
 *     int err = co4_await(s, &n);                    CO4_OK, CO4_ECLOSED, CO4_ETIMEDOUT
 *
 * The memory is the caller's (locals of the pausing function will do); nothing is allocated. It has
 * the state of one wait, so a combined source is for one wait at a time: a second one is
 * CO4_ESTATE. It and the sources below must stay where they are until the wait is over. Afterwards
 * it may be used again, or forgotten. All return the source, or NULL when an argument is not
 * acceptable: NULL, sizes that do not fit, one nested too deep. None of them pauses. */
#ifndef CO4_COMBINE_H
#define CO4_COMBINE_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"
#include "timer.h"

/* The functions given to map and filter run on the thread that waits, without a lock but that of a
 * source of one's own (source.h). They must not wait, nor jump out, nor use the combined source.
 * They look at a copy of the value. CO4_ENOMEM ends the wait when there is no memory for that, or
 * for the first look at a mailbox. A value that is looked at may still go to another task, and may
 * be looked at again. A function over a send into a rendezvous mailbox runs when the wait begins.
 *
 * A source may give a value together with an error: a future whose task was cancelled does, and so
 * does either, below. All but map pass it on. */

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: the combined source; NULL for NULL, for sizes that do not fit, and for one that is
 *     nested too deep.
 * Blocks: never.
 * Thread safety: one wait at a time for each combined source; a second one is CO4_ESTATE.
 * Ownership: the memory is the caller's. It and the sources below stay where they are until the
 *     wait is over; then the memory may be used again.
 * Since: 0.1. */

/* ---- map ---- */

/* The memory of a co4_source_map(). */
typedef struct co4_mapping {
    co4_source source;
    long long co4_private[23];
} co4_mapping;

/* Gives the result of f(arg, in, out) for each value of `of`. The function writes `size` bytes to
 * *out, which is `buffer`, and returns CO4_OK; or returns another code, which is given without a
 * value. `in` is NULL when the source has no values; with size 0 nothing is written. Errors of the
 * source pass. */
co4_source *co4_source_map(co4_mapping *mapping, co4_source *of, size_t size, void *buffer,
                           int (*f)(void *arg, const void *in, void *out), void *arg);

/* ---- filter ---- */

/* The memory of a co4_source_filter(). */
typedef struct co4_filtering {
    co4_source source;
    long long co4_private[19];
} co4_filtering;

/* Gives the values of `of` for which wanted(arg, value) is not 0. A refused value stays where it
 * is, for other receivers, and the filter is not asked about it again during the wait. At a mailbox
 * that is the oldest message: the next ones are looked at when another receiver has taken it. So a
 * mailbox needs a receiver that takes the rest; a single receiver that wants to skip messages
 * receives and looks at them. Errors pass. */
co4_source *co4_source_filter(co4_filtering *filtering, co4_source *of,
                              int (*wanted)(void *arg, const void *value), void *arg);

/* ---- race ---- */

/* One source of a co4_source_race(), which has an array of them. */
typedef struct co4_racer {
    co4_source *source; /* NULL: it is passed over */
    long long co4_private[15];
} co4_racer;

/* The memory of a co4_source_race(). */
typedef struct co4_racing {
    co4_source source;
    long long co4_private[7];
} co4_racing;

/* Gives the value or error of the first ready source of `count`; of several, the first in order.
 * Their values are of one size, or there are none. The other sources are not touched. */
co4_source *co4_source_race(co4_racing *racing, co4_racer *racers, int count);

/* The number of that source, once the wait is over.
 *
 * Returns: the number; -1 when none was chosen, and for NULL. */
int co4_source_race_winner(const co4_racing *racing);

/* ---- either ---- */

/* The memory of a co4_source_either(). */
typedef struct co4_either {
    co4_racing racing;
    co4_racer racers[2];
} co4_either;

/* Gives the value or error of the first ready source of two: its value is copied to *out_a or
 * *out_b, unless that is NULL. The combined value is an int, 0 for a and 1 for b, with the code of
 * that source. */
co4_source *co4_source_either(co4_either *either, co4_source *a, void *out_a, co4_source *b,
                              void *out_b);

/* ---- timeout ---- */

/* The memory of a co4_source_until(). */
typedef struct co4_timed {
    co4_racing racing;
    co4_racer racers[2];
    co4_timer timer;
} co4_timed;

/* Gives the value or error of `of`, or from the deadline on the code CO4_ETIMEDOUT. A value that is
 * there is given, also after the deadline. */
co4_source *co4_source_until(co4_timed *timed, co4_source *of, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
