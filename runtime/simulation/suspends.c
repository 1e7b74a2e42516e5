/* suspends.c - waits that signals end, in a program of --auto=test: pause(), sigsuspend(), and
 * sigwait() and its kin; and what poll() and others with a mask need. Also raise().
 *
 * Signals come between two steps. So the mask may be set by one call, and the wait begin with the
 * next: a handler that has run in between is seen by its count. These waits keep their thread, as
 * those of code that is not woven (descriptors.c); in woven code they pause their task
 * (posix/woven/masked.h). */
#define _GNU_SOURCE
#include "simulation/suspends.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "co4/time.h"
#include "io/attempt.h"
#include "posix/deadline.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/wraps.h"
#include "simulation/descriptors.h"
#include "simulation/run.h"

CO4__WRAPS(pause, (void));
CO4__WRAPS(raise, (int signo));
CO4__WRAPS(sigwait, (const sigset_t *set, int *signo));
CO4__WRAPS(sigwaitinfo, (const sigset_t *set, siginfo_t *info));
CO4__WRAPS(sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *limit));

void co4__suspend_begin(struct co4__suspend *s, const sigset_t *mask)
{
    s->count = co4__interrupts_count(true);
    s->masked = mask && pthread_sigmask(SIG_SETMASK, mask, &s->before) == 0;
}

bool co4__suspend_is_over(const struct co4__suspend *s)
{
    return co4__interrupts_count(true) != s->count;
}

void co4__suspend_end(const struct co4__suspend *s)
{
    int was = errno;
    if (s->masked)
        pthread_sigmask(SIG_SETMASK, &s->before, NULL);
    errno = was;
}

void (*co4__suspends_look)(void);

bool co4__suspends_between(void)
{
    bool handled = co4__kills.between();
    if (co4__suspends_look)
        co4__suspends_look();
    return handled;
}

static bool is_over(void *s)
{
    return co4__suspend_is_over(s);
}

int co4__simulated_suspend(const sigset_t *mask)
{
    struct co4__suspend s;
    co4__suspend_begin(&s, mask);
    co4__simulated_step_until(is_over, &s, CO4_NEVER, mask ? "sigsuspend" : "pause");
    co4__suspend_end(&s);
    return co4__errno_fails(EINTR);
}

int __wrap_pause(void)
{
    return co4__program_is_simulated() ? co4__simulated_suspend(NULL) : __real_pause();
}

/* All have one thread of the system: what is pending there would be everybody's. */
int __wrap_raise(int signo)
{
    if (!co4__program_is_simulated())
        return __real_raise(signo);
    int err = pthread_kill(pthread_self(), signo);
    return err == 0 ? 0 : co4__errno_fails(err);
}

/* ---- sigwait() and its kin ---- */

struct sigwaiting {
    const sigset_t *set;
    siginfo_t *info;
    struct co4__suspend suspend;
    int taken; /* -1: none */
};

static bool takes_signal(void *data)
{
    static const struct timespec at_once = { 0, 0 };
    struct sigwaiting *w = data;
    int n = &co4__kills ? co4__kills.take(w->set, w->info) : 0;
    w->taken = n > 0 ? n : __real_sigtimedwait(w->set, w->info, &at_once);
    return w->taken > 0 || errno != EAGAIN || co4__suspend_is_over(&w->suspend);
}

static int wait_for(const sigset_t *set, siginfo_t *info, int64_t until)
{
    int was = errno;
    struct sigwaiting w = { .set = set, .info = info };
    co4__suspend_begin(&w.suspend, NULL);
    bool over = co4__simulated_step_until(takes_signal, &w, until, "sigwait");
    if (w.taken > 0)
        errno = was;
    else if (over && errno == EAGAIN)
        errno = EINTR;
    return w.taken > 0 ? w.taken : -1;
}

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    if (!co4__program_is_simulated() || (limit && limit->tv_sec == 0 && limit->tv_nsec == 0))
        return __real_sigtimedwait(set, info, limit);
    if (limit && !co4__is_timespec(limit))
        return co4__errno_fails(EINVAL);
    return wait_for(set, info, limit ? co4__after_timespec(limit) : CO4_NEVER);
}

int __wrap_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return __wrap_sigtimedwait(set, info, NULL);
}

/* It goes on after a handler of another signal. */
int __wrap_sigwait(const sigset_t *set, int *signo)
{
    int was = errno, n;
    if (!co4__program_is_simulated())
        return __real_sigwait(set, signo);
    do
        n = __wrap_sigtimedwait(set, NULL, NULL);
    while (n < 0 && errno == EINTR);
    int err = n < 0 ? errno : 0;
    errno = was;
    if (n > 0)
        *signo = n;
    return err;
}
