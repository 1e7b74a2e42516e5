/* clocks.h - the clocks of a program of --auto=test, and timers by them: clocks.c, timed.c. */
#ifndef CO4_SIMULATION_CLOCKS_H
#define CO4_SIMULATION_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/compiler.h"
#include "io/network.h"

/* Returns what the clock shows at the beginning of a run, in ns; -1: there is no such clock. */
CO4__OWN int64_t co4__simulated_begin_of(clockid_t clock);

/* Returns whether the clock jumps when the machine's is set. */
CO4__OWN bool co4__simulated_is_wall(clockid_t clock);

/* A timer as those of POSIX are: it expires once, or again and again. In memory of its user, zero
 * at first but for `data`, `expires`, which is called when it has, so many times, and `is_set`. */
struct co4__timed {
    struct co4__net_timer timer;
    int64_t next, interval; /* by the clock of the run; next: 0 for never */
    bool is_wall;           /* it is for a time of the wall clock, … */
    int64_t ahead;          /* … which was so far ahead when that was put into `next` */
    void (*expires)(struct co4__timed *t, uint64_t times);
    void (*is_set)(struct co4__timed *t); /* the wall clock has jumped; or NULL */
    void *data;
};

/* Sets it. before: what co4__timed_left() would say, or NULL. Returns 0 or an error number. */
CO4__OWN int co4__timed_set(struct co4__timed *t, clockid_t clock, bool is_absolute,
                            const struct itimerspec *time, struct itimerspec *before);
CO4__OWN struct itimerspec co4__timed_left(const struct co4__timed *t);
CO4__OWN void co4__timed_stop(struct co4__timed *t);

#endif
