/* co4/combine.h - sources made of sources.
 *
 * Each takes sources and gives one: to be waited for by co4_await(), be a case of co4_select(), or
 * go into another of these. Of all that is waited for at once exactly one thing happens, however
 * deep it stands:
 *
 *     co4_filtering even;
 *     co4_timed timed;
 *     co4_source *s = co4_source_until(
 *         &timed, co4_source_filter(&even, co4_mailbox_source(in), is_even, NULL), deadline);
 *     int err = co4_await(s, &n);                    CO4_OK, CO4_ECLOSED, CO4_ETIMEDOUT
 *
 * The memory is the caller's (locals of the pausing function will do); nothing is allocated. It
 * holds what a wait needs, so a combined source is for one wait at a time: a second one is
 * CO4_ESTATE. It and the sources below must stay where they are until the wait is over; afterwards
 * it may be used again, or forgotten. All return the source, or NULL when an argument is not
 * acceptable: NULL, sizes that do not fit. None of them pauses. */
#ifndef CO4_COMBINE_H
#define CO4_COMBINE_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"
#include "timer.h"

/* The functions given to map and filter run on the thread that waits, and under no lock but that of
 * a source of one's own (source.h). They must not wait, nor jump out, nor use the combined source.
 * They look at a copy of the value: CO4_ENOMEM ends the wait where there is no memory for that, or
 * for the first look at a mailbox. A value that is looked at may still go to another task, and may
 * be looked at again. A function over a send into a rendezvous mailbox runs when the wait
 * begins.
 *
 * A source may give a value together with an error: a future whose task was cancelled does, and so
 * does either, below. All but map pass it on.
 * */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- map ---- */

typedef struct co4_mapping {
    co4_source source;
    long long co4_private[23];
} co4_mapping;

/* What f(arg, in, out) makes of each value of `of`: it writes `size` bytes to *out, which is
 * `buffer`, and returns CO4_OK; or returns another code, which is then given without a value. `in`
 * is NULL for a source that gives none; with size 0 `out` is nothing to write to. Errors of the
 * source pass by. */
co4_source *co4_source_map(co4_mapping *mapping, co4_source *of, size_t size, void *buffer,
                           int (*f)(void *arg, const void *in, void *out), void *arg);

/* ---- filter ---- */

typedef struct co4_filtering {
    co4_source source;
    long long co4_private[19];
} co4_filtering;

/* The values of `of` that wanted(arg, value) is not 0 for. A value that is refused stays where it
 * is, for others, and the filter is not asked about it again while it waits. At a mailbox that is
 * the message whose turn it is: those behind it are looked at when another receiver
 * has taken it. So a mailbox needs a receiver that takes the rest; a single receiver that wants to
 * skip messages receives and looks at them. Errors pass by. */
co4_source *co4_source_filter(co4_filtering *filtering, co4_source *of,
                              int (*wanted)(void *arg, const void *value), void *arg);

/* ---- race ---- */

typedef struct co4_racer {
    co4_source *source; /* NULL: it is passed over */
    long long co4_private[15];
} co4_racer;

typedef struct co4_racing {
    co4_source source;
    long long co4_private[7];
} co4_racing;

/* The first of `count` sources that is ready, value or error; of several, the one that stands
 * first. Their values are all of one size, or there are none. The others are not touched. */
co4_source *co4_source_race(co4_racing *racing, co4_racer *racers, int count);
/* Which one it was, once the wait is over; -1: none. */
int co4_source_race_winner(const co4_racing *racing);

/* ---- either ---- */

typedef struct co4_either {
    co4_racing racing;
    co4_racer racers[2];
} co4_either;

/* The first of two with values of their own: copied to *out_a or *out_b (NULL: not). It gives an
 * int, 0 for a, 1 for b, together with the code of that source. */
co4_source *co4_source_either(co4_either *either, co4_source *a, void *out_a, co4_source *b,
                              void *out_b);

/* ---- timeout ---- */

typedef struct co4_timed {
    co4_racing racing;
    co4_racer racers[2];
    co4_timer timer;
} co4_timed;

/* What `of` gives, or the code CO4_ETIMEDOUT from the deadline on. A value that is there is given,
 * also after the deadline. */
co4_source *co4_source_until(co4_timed *timed, co4_source *of, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
