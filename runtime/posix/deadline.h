/* deadline.h - times of POSIX as deadlines of the library. */
#ifndef CO4_DEADLINE_H
#define CO4_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Returns whether it is one: ns below a second. */
bool co4__is_timespec(const struct timespec *time);
/* Returns the ns of it; at most a quarter of what an int64_t holds. */
int64_t co4__timespec_ns(const struct timespec *time);
/* Returns the ns until a clock shows `until`, 0 if it has; -1 with `errno` for no such clock. */
int64_t co4__until_clock(clockid_t clock, const struct timespec *until);

#endif
