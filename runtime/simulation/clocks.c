/* clocks.c - the clocks of a program of --auto=test: all go by that of the simulation.
 *
 * A run begins at a round second of the year 2001, of a system that has run for 1000 s. The times
 * that processors work are those that pass: there is one thread, which is never preempted. A clock
 * of another process has no time here. */
#define _GNU_SOURCE
#include "simulation/clocks.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/run.h"

#define SECOND INT64_C(1000000000)
#define EPOCH  (1000000000 * SECOND) /* ns since 1970 */
#define UP     (1000 * SECOND)

CO4__WRAPS(clock_gettime, (clockid_t clock, struct timespec *time));
CO4__WRAPS(clock_getres, (clockid_t clock, struct timespec *resolution));
CO4__WRAPS(gettimeofday, (struct timeval * time, void *zone));
CO4__WRAPS(timespec_get, (struct timespec * time, int base));
CO4__WRAPS(clock_settime, (clockid_t clock, const struct timespec *time));
CO4__WRAPS(settimeofday, (const struct timeval *time, const struct timezone *zone));
CO4__WRAPS(adjtime, (const struct timeval *by, struct timeval *left));
CO4__WRAPS(adjtimex, (struct timex * how));
CO4__WRAPS(clock_adjtime, (clockid_t clock, struct timex *how));
CO4__WRAPS(ntp_adjtime, (struct timex * how));
time_t __wrap_time(time_t *time);
time_t __real_time(time_t *time);
clock_t __wrap_times(struct tms *times);
clock_t __real_times(struct tms *times);
clock_t __wrap_clock(void);
clock_t __real_clock(void);

bool co4__simulated_is_wall(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

int64_t co4__simulated_begin_of(clockid_t clock)
{
    if (co4__simulated_is_wall(clock))
        return EPOCH + co4__simulated_wall();
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return UP;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default: /* of a process or a thread: those of this one */
        return clock < 0 ? 0 : -1;
    }
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){ ns / SECOND, ns % SECOND };
}

/* ns since 1970 */
static int64_t wall_look(void)
{
    return co4__simulated_begin_of(CLOCK_REALTIME) + co4__simulated_look();
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int64_t begin = co4__simulated_begin_of(clock);
    if (!co4__program_is_simulated() || begin < 0)
        return __real_clock_gettime(clock, time);
    *time = timespec_of(begin + co4__simulated_look());
    return 0;
}

int __wrap_clock_getres(clockid_t clock, struct timespec *resolution)
{
    if (!co4__program_is_simulated() || co4__simulated_begin_of(clock) < 0)
        return __real_clock_getres(clock, resolution);
    if (resolution)
        *resolution = timespec_of(1);
    return 0;
}

int __wrap_gettimeofday(struct timeval *time, void *zone)
{
    if (!co4__program_is_simulated())
        return __real_gettimeofday(time, zone);
    int64_t us = (wall_look()) / 1000;
    if (time)
        *time = (struct timeval){ us / 1000000, us % 1000000 };
    return 0;
}

int __wrap_timespec_get(struct timespec *time, int base)
{
    if (!co4__program_is_simulated() || base != TIME_UTC)
        return __real_timespec_get(time, base);
    *time = timespec_of(wall_look());
    return base;
}

time_t __wrap_time(time_t *time)
{
    if (!co4__program_is_simulated())
        return __real_time(time);
    time_t now = (time_t)((wall_look()) / SECOND);
    if (time)
        *time = now;
    return now;
}

clock_t __wrap_times(struct tms *times)
{
    if (!co4__program_is_simulated())
        return __real_times(times);
    int64_t tick = SECOND / sysconf(_SC_CLK_TCK), now = co4__simulated_look();
    if (times)
        *times = (struct tms){ .tms_utime = now / tick };
    return (clock_t)((UP + now) / tick);
}

clock_t __wrap_clock(void)
{
    return co4__program_is_simulated()
               ? (clock_t)(co4__simulated_look() / (SECOND / CLOCKS_PER_SEC))
               : __real_clock();
}

/* ---- setting them: the program has not the privilege ---- */

static bool is_refused(void)
{
    errno = EPERM;
    return co4__program_is_simulated();
}

int __wrap_clock_settime(clockid_t clock, const struct timespec *time)
{
    bool is_wrong = clock != CLOCK_REALTIME || time->tv_nsec < 0 || time->tv_nsec >= SECOND;
    if (!is_refused())
        return __real_clock_settime(clock, time);
    errno = is_wrong ? EINVAL : EPERM;
    return -1;
}

int __wrap_settimeofday(const struct timeval *time, const struct timezone *zone)
{
    return is_refused() ? -1 : __real_settimeofday(time, zone);
}

int __wrap_adjtime(const struct timeval *by, struct timeval *left)
{
    return by && is_refused() ? -1 : __real_adjtime(by, left);
}

int __wrap_adjtimex(struct timex *how)
{
    return how->modes != 0 && is_refused() ? -1 : __real_adjtimex(how);
}

int __wrap_clock_adjtime(clockid_t clock, struct timex *how)
{
    return how->modes != 0 && is_refused() ? -1 : __real_clock_adjtime(clock, how);
}

int __wrap_ntp_adjtime(struct timex *how)
{
    return how->modes != 0 && is_refused() ? -1 : __real_ntp_adjtime(how);
}
