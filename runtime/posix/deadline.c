/* deadline.c - times of POSIX as deadlines of the library. */
#define _POSIX_C_SOURCE 200809L
#include "posix/deadline.h"

#include <stddef.h>

#include "co4/time.h"

#define SECOND  INT64_C(1000000000)
#define MILLION INT64_C(1000000)

int64_t (*co4__clock_is_set_after)(void);

bool co4__is_timespec(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

int64_t co4__timespec_ns(const struct timespec *time)
{
    int64_t most = INT64_MAX / 2 / SECOND, s = time->tv_sec;
    s = s < -most ? -most : s < most ? s : most;
    return s * SECOND + time->tv_nsec;
}

int64_t co4__after_timespec(const struct timespec *time)
{
    return co4_after(co4__timespec_ns(time));
}

int64_t co4__after_timeval(const struct timeval *time)
{
    int64_t us = time->tv_usec, s = us / MILLION;
    s = time->tv_sec < INT64_MAX - s ? time->tv_sec + s : INT64_MAX;
    return co4__after_timespec(&(struct timespec){ s, us % MILLION * 1000 });
}

int64_t co4__until_clock(clockid_t clock, const struct timespec *until)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return -1;
    int64_t left = co4__timespec_ns(until) - co4__timespec_ns(&now);
    return left > 0 ? left : 0;
}

int64_t co4__until_look(clockid_t clock, const struct timespec *until, bool *again)
{
    int64_t left = co4__until_clock(clock, until), set;
    *again = false;
    if (CO4__LIKELY(!co4__clock_is_set_after) || left <= 0 || clock == CLOCK_MONOTONIC)
        return left;
    set = co4__clock_is_set_after();
    *again = set < left;
    return set < left ? set : left;
}

int64_t co4__next_slice(int64_t waited, int64_t most)
{
    int64_t slice = waited / 8;
    return slice < CO4_MS ? CO4_MS : slice < most ? slice : most;
}
