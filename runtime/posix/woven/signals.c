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
#include "posix/parked.h"
#include "posix/point.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* Of two looks, the time between them is at most this. */
#define SIGNAL_LOOK (20 * CO4_MS)

CO4__INSIDE pausable int co4_posix_sigtimedwait(const sigset_t *set, siginfo_t *info,
                                                const struct timespec *limit)
{
    co4__posix_point();
#ifdef CO4_PLAIN
    return co4__sigtimedwait(set, info, limit);
#else
    static const struct timespec at_once = { 0, 0 };
    int was = errno;
    int64_t begun = co4_now(), until = CO4_NEVER;
    if (limit && !co4__is_timespec(limit)) {
        errno = EINVAL;
        return -1;
    }
    if (limit)
        until = co4__after_timespec(limit);
    for (;;) {
        int n = co4__sigtimedwait(set, info, &at_once);
        if (n >= 0)
            errno = was;
        if (n >= 0 || errno != EAGAIN)
            return n;
        int64_t now = co4_now(), look = now + co4__parked_slice(now - begun, SIGNAL_LOOK);
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
