/* deadline.h - times of POSIX as deadlines of the library. */
#ifndef CO4_DEADLINE_H
#define CO4_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "base/compiler.h"

/* Returns whether it is one: ns below a second. */
bool co4__is_timespec(const struct timespec *time);
/* Returns the ns of it; at most half of what an int64_t holds. */
int64_t co4__timespec_ns(const struct timespec *time);
/* Returns the ns until a clock shows `until`, 0 if it has; -1 with `errno` for no such clock. */
int64_t co4__until_clock(clockid_t clock, const struct timespec *until);
/* The same for a wait; or less, with `again`: the clock may be set then, and the waiter looks. */
int64_t co4__until_look(clockid_t clock, const struct timespec *until, bool *again);
/* The simulation's: ns until the wall clock is set. NULL: it never is. */
extern CO4__OWN int64_t (*co4__clock_is_set_after)(void);

/* The deadlines of waits that begin now; CO4_NEVER for those that are too long. */
int64_t co4__after_timespec(const struct timespec *time);
int64_t co4__after_timeval(const struct timeval *time);

/* Returns the length of the next wait, at most `most`, of a task that has waited for so many ns. */
int64_t co4__next_slice(int64_t waited, int64_t most);

#endif
