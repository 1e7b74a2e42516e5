/* alarms.c - signals by time of a program of --auto=test: alarm(), interval timers, and those of
 * timer_create(), by the clock of the run.
 *
 * When a timer expires, between two steps, the process sends itself the signal. So the program's
 * handlers run as always, and end waits. The times of processors are those of the clock.
 *
 * A function of SIGEV_THREAD runs between two steps, not in a thread of its own: it must not wait
 * for what a thread does. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "platform/fork.h"
#include "posix/deadline.h"
#include "posix/wraps.h"
#include "simulation/clocks.h"
#include "simulation/descriptors.h"
#include "simulation/run.h"

unsigned __wrap_alarm(unsigned seconds);
unsigned __real_alarm(unsigned seconds);
useconds_t __wrap_ualarm(useconds_t value, useconds_t interval);
useconds_t __real_ualarm(useconds_t value, useconds_t interval);
CO4__WRAPS(setitimer, (int which, const struct itimerval *time, struct itimerval *before));
CO4__WRAPS(getitimer, (int which, struct itimerval *time));
CO4__WRAPS(timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer));
CO4__WRAPS(timer_settime,
           (timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *before));
CO4__WRAPS(timer_gettime, (timer_t timer, struct itimerspec *time));
CO4__WRAPS(timer_getoverrun, (timer_t timer));
CO4__WRAPS(timer_delete, (timer_t timer));

/* ---- interval timers ---- */

static void send_alarm(struct co4__timed *t, uint64_t times);

static struct interval {
    struct co4__timed timed;
    int signo;
} intervals[] = {
    [ITIMER_REAL] = { { .expires = send_alarm }, SIGALRM },
    [ITIMER_VIRTUAL] = { { .expires = send_alarm }, SIGVTALRM },
    [ITIMER_PROF] = { { .expires = send_alarm }, SIGPROF },
};

static void send_alarm(struct co4__timed *t, uint64_t times)
{
    (void)times; /* a signal that is pending comes once */
    kill(getpid(), ((const struct interval *)(const void *)t)->signo);
}

/* NULL with `errno`. */
static struct co4__timed *interval_of(int which)
{
    if (which >= 0 && (size_t)which < sizeof intervals / sizeof *intervals)
        return &intervals[which].timed;
    errno = EINVAL;
    return NULL;
}

static struct timespec to_timespec(struct timeval time)
{
    return (struct timespec){ time.tv_sec, time.tv_usec * 1000 };
}

/* It says at least a microsecond of a timer that is set. */
static struct timeval to_timeval(struct timespec time)
{
    return (struct timeval){ time.tv_sec, (time.tv_nsec + 999) / 1000 };
}

int __wrap_getitimer(int which, struct itimerval *time)
{
    if (!co4__program_is_simulated())
        return __real_getitimer(which, time);
    const struct co4__timed *t = interval_of(which);
    if (!t)
        return -1;
    struct itimerspec left = co4__timed_left(t);
    *time = (struct itimerval){ to_timeval(left.it_interval), to_timeval(left.it_value) };
    return 0;
}

int __wrap_setitimer(int which, const struct itimerval *time, struct itimerval *before)
{
    if (!co4__program_is_simulated())
        return __real_setitimer(which, time, before);
    struct co4__timed *t = interval_of(which);
    if (!t || (before && __wrap_getitimer(which, before) != 0))
        return -1;
    static const struct itimerval off;
    time = time ? time : &off;
    struct itimerspec to = { to_timespec(time->it_interval), to_timespec(time->it_value) };
    int err = co4__timed_set(t, CLOCK_MONOTONIC, false, &to, NULL);
    return err == 0 ? 0 : co4__errno_fails(err);
}

/* Returns the seconds that were left, not 0 if any time was. */
unsigned __wrap_alarm(unsigned seconds)
{
    struct itimerval time = { { 0, 0 }, { seconds, 0 } }, before;
    if (!co4__program_is_simulated())
        return __real_alarm(seconds);
    __wrap_setitimer(ITIMER_REAL, &time, &before);
    bool rounds_up = before.it_value.tv_usec >= 500000 ||
                     (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0);
    return (unsigned)before.it_value.tv_sec + rounds_up;
}

useconds_t __wrap_ualarm(useconds_t value, useconds_t interval)
{
    struct itimerval time = { { interval / 1000000, interval % 1000000 },
                              { value / 1000000, value % 1000000 } };
    struct itimerval before;
    if (!co4__program_is_simulated())
        return __real_ualarm(value, interval);
    __wrap_setitimer(ITIMER_REAL, &time, &before);
    return (useconds_t)(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

/* ---- timer_create() ---- */

struct posix_timer {
    struct co4__timed timed;
    struct posix_timer *next;
    struct sigevent event;
    clockid_t clock;
    int number, overrun;
};

static struct posix_timer *timers; /* newest first */

static void notify(struct co4__timed *timed, uint64_t times)
{
    struct posix_timer *t = (struct posix_timer *)(void *)timed;
    t->overrun = times > INT32_MAX ? INT32_MAX : (int)times - 1;
    if (t->event.sigev_notify == SIGEV_THREAD) {
        t->event.sigev_notify_function(t->event.sigev_value);
    } else if (t->event.sigev_notify != SIGEV_NONE) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        info.si_signo = t->event.sigev_signo;
        info.si_code = SI_TIMER;
        info.si_timerid = t->number;
        info.si_overrun = t->overrun;
        info.si_value = t->event.sigev_value;
        syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
    }
}

/* NULL with `errno`: there is no such timer. */
static struct posix_timer *timer_at(timer_t timer)
{
    for (struct posix_timer *t = timers; t; t = t->next)
        if (t == timer)
            return t;
    errno = EINVAL;
    return NULL;
}

static bool is_event(const struct sigevent *event)
{
    int how = event->sigev_notify, signo = event->sigev_signo;
    if (how == SIGEV_NONE || how == SIGEV_THREAD)
        return true;
    return (how == SIGEV_SIGNAL || how == SIGEV_THREAD_ID) && signo > 0 && signo <= SIGRTMAX;
}

int __wrap_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    static int numbers;
    if (!co4__program_is_simulated())
        return __real_timer_create(clock, event, timer);
    if ((event && !is_event(event)) || co4__simulated_begin_of(clock) < 0)
        return co4__errno_fails(EINVAL);
    struct posix_timer *t = co4__alloc(sizeof *t);
    if (!t)
        return co4__errno_fails(EAGAIN);
    t->timed.expires = notify;
    t->clock = clock;
    t->number = numbers++;
    if (event)
        t->event = *event;
    else
        t->event = (struct sigevent){ .sigev_notify = SIGEV_SIGNAL,
                                      .sigev_signo = SIGALRM,
                                      .sigev_value.sival_int = t->number };
    t->next = timers;
    timers = t;
    *timer = t;
    return 0;
}

int __wrap_timer_settime(timer_t timer, int flags, const struct itimerspec *time,
                         struct itimerspec *before)
{
    if (!co4__program_is_simulated())
        return __real_timer_settime(timer, flags, time, before);
    struct posix_timer *t = timer_at(timer);
    if (!t)
        return -1;
    int err = co4__timed_set(&t->timed, t->clock, flags & TIMER_ABSTIME, time, before);
    return err == 0 ? 0 : co4__errno_fails(err);
}

int __wrap_timer_gettime(timer_t timer, struct itimerspec *time)
{
    if (!co4__program_is_simulated())
        return __real_timer_gettime(timer, time);
    const struct posix_timer *t = timer_at(timer);
    if (!t)
        return -1;
    *time = co4__timed_left(&t->timed);
    return 0;
}

int __wrap_timer_getoverrun(timer_t timer)
{
    if (!co4__program_is_simulated())
        return __real_timer_getoverrun(timer);
    const struct posix_timer *t = timer_at(timer);
    return t ? t->overrun : -1;
}

static void delete_timer(struct posix_timer *t)
{
    struct posix_timer **at = &timers;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    co4__timed_stop(&t->timed);
    co4__free(t);
}

int __wrap_timer_delete(timer_t timer)
{
    if (!co4__program_is_simulated())
        return __real_timer_delete(timer);
    struct posix_timer *t = timer_at(timer);
    if (!t)
        return -1;
    delete_timer(t);
    return 0;
}

/* ---- children have none of these ---- */

static void alarms_at_fork(enum co4__fork how)
{
    if (how != CO4__FORK_CHILD || !co4__program_is_simulated())
        return;
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
        co4__timed_stop(&intervals[i].timed);
    while (timers)
        delete_timer(timers);
}

__attribute__((constructor(111))) static void begin_alarms(void)
{
    static struct co4__fork_member member = { .handler = alarms_at_fork };
    co4__fork_join(&member);
}
