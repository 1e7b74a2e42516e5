/* signals.c - waits for signals, for programs without marks: pausable C, and once more plain.
 *
 * Nothing tells a task of a signal that all threads have blocked, so it looks from time to time. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "posix/blocks.h"
#include "posix/deadline.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/parked.h"
#include "posix/point.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* Of two looks, the time between them is at most this. */
#define SIGNAL_LOOK (20 * CO4_MS)

#ifndef CO4_PLAIN
static int take_now(const sigset_t *set, siginfo_t *info)
{
    static const struct timespec at_once = { 0, 0 };
    int n = &co4__kills ? co4__kills.take(set, info) : 0;
    return n > 0 ? n : co4__sigtimedwait(set, info, &at_once);
}

/* From now on a signal of the set to the calling task ends its waits. */
static void begin_to_want(const sigset_t *set)
{
    if (&co4__kills)
        co4__kills.wants(set);
}

static void end_to_want(const sigset_t **set)
{
    (void)set;
    begin_to_want(NULL);
}

static pausable int look_until(const sigset_t *set, siginfo_t *info, int64_t until)
{
    int was = errno;
    __attribute__((cleanup(end_to_want))) const sigset_t *wanted = set;
    begin_to_want(wanted);
    for (int64_t begun = co4_now();;) {
        int n = take_now(set, info);
        if (n >= 0)
            errno = was;
        if (n >= 0 || errno != EAGAIN)
            return n;
        int64_t now = co4_now(), look = now + co4__next_slice(now - begun, SIGNAL_LOOK);
        if (now >= until)
            return -1; /* EAGAIN, as in POSIX */
        int mark = co4__interrupts_begin(true);
        int64_t next = look < until ? look : until;
        if (mark < 0) {
            int err = co4_sleep_until(next);
            if (err != CO4_OK)
                return co4__io_fails(err);
        } else if (co4__interrupts_wait(-1, 0, next, mark) < 0 && errno != ETIMEDOUT) {
            return -1;
        }
    }
}
#endif

CO4__INSIDE pausable int co4_posix_sigtimedwait(const sigset_t *set, siginfo_t *info,
                                                const struct timespec *limit)
{
    co4__posix_point();
#ifdef CO4_PLAIN
    return co4__sigtimedwait(set, info, limit);
#else
    if (limit && !co4__is_timespec(limit))
        return co4__errno_fails(EINVAL);
    return look_until(set, info, limit ? co4__after_timespec(limit) : CO4_NEVER);
#endif
}

CO4__INSIDE pausable int co4_posix_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return co4_posix_sigtimedwait(set, info, NULL);
}

/* As Linux does, it goes on after a handler of another signal. */
CO4__INSIDE pausable int co4_posix_sigwait(const sigset_t *set, int *signo)
{
    int was = errno, n;
    do
        n = co4_posix_sigtimedwait(set, NULL, NULL);
    while (n < 0 && errno == EINTR);
    int err = n < 0 ? errno : 0;
    errno = was;
    if (n > 0)
        *signo = n;
    return err;
}
