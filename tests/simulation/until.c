/* until.c - waits for a time of the wall clock, 10 s from now, while the clock jumps: each prints
 * after how many ms of the other clock it ends. Those that say how long do not notice. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct timespec until;
static struct timespec begun;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t taken;

static struct timespec now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t;
}

static void *say(const char *what, int error)
{
    struct timespec t = now(CLOCK_MONOTONIC);
    long us = (t.tv_sec - begun.tv_sec) * 1000000 + (t.tv_nsec - begun.tv_nsec) / 1000;
    printf("%s: %ld ms, %s\n", what, (us + 500) / 1000, error ? strerrorname_np(error) : "0");
    return NULL;
}

static void *sleeps(void *data)
{
    (void)data;
    return say("clock_nanosleep", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
}

static void *sleeps_for(void *data)
{
    const struct timespec ten = { 10, 0 };
    (void)data;
    return say("for 10 s", clock_nanosleep(CLOCK_REALTIME, 0, &ten, NULL));
}

static void *condition(void *clock)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t attributes;
    pthread_cond_t never;
    struct timespec limit = until;
    clockid_t by = (clockid_t)(intptr_t)clock;
    int err = 0;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, by);
    pthread_cond_init(&never, &attributes);
    if (by == CLOCK_MONOTONIC) {
        limit = now(CLOCK_MONOTONIC);
        limit.tv_sec += 10;
    }
    pthread_mutex_lock(&lock);
    err = pthread_cond_timedwait(&never, &lock, &limit); /* once: it may not end without cause */
    return say(by == CLOCK_MONOTONIC ? "condition, monotonic" : "condition", err);
}

static void *semaphore(void *data)
{
    sem_t never;
    (void)data;
    sem_init(&never, 0, 0);
    return say("sem_timedwait", sem_timedwait(&never, &until) == 0 ? 0 : errno);
}

static void *mutex(void *data)
{
    (void)data;
    return say("pthread_mutex_timedlock", pthread_mutex_timedlock(&held, &until));
}

static void *reader(void *data)
{
    (void)data;
    return say("pthread_rwlock_timedrdlock", pthread_rwlock_timedrdlock(&written, &until));
}

static void *writer(void *data)
{
    (void)data;
    return say("pthread_rwlock_timedwrlock", pthread_rwlock_timedwrlock(&written, &until));
}

static void *c11(void *data)
{
    (void)data;
    return say("mtx_timedlock", mtx_timedlock(&taken, &until) == thrd_timedout ? ETIMEDOUT : 0);
}

static void *word(void *data)
{
    static atomic_uint none;
    int command = FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME;
    (void)data;
    long n = syscall(SYS_futex, &none, command, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY);
    return say("futex", n == 0 ? 0 : errno);
}

static void *timer(void *flags)
{
    int how = (int)(intptr_t)flags, fd = timerfd_create(CLOCK_REALTIME, 0);
    struct itimerspec value = { .it_value = until }, left;
    uint64_t times;
    if (!(how & TFD_TIMER_ABSTIME))
        value.it_value = (struct timespec){ 10, 0 };
    timerfd_settime(fd, how, &value, NULL);
    ssize_t n = read(fd, &times, sizeof times);
    say(how & TFD_TIMER_CANCEL_ON_SET ? "timerfd, cancelled"
        : how                         ? "timerfd"
                                      : "timerfd, for 10 s",
        n < 0 ? errno : 0);
    if (!(how & TFD_TIMER_CANCEL_ON_SET))
        return NULL;
    timerfd_gettime(fd, &left); /* it goes on */
    long us = left.it_value.tv_sec * 1000000 + left.it_value.tv_nsec / 1000;
    printf("%ld ms are left\n", (us + 500) / 1000);
    n = left.it_value.tv_sec > 0 ? read(fd, &times, sizeof times) : 0;
    return say("timerfd, goes on", n < 0 ? errno : 0);
}

static void *repeats(void *data)
{
    struct itimerspec value = { .it_value = until, .it_interval = { 2, 0 } };
    int fd = timerfd_create(CLOCK_REALTIME, 0);
    uint64_t times;
    (void)data;
    value.it_value.tv_sec -= 7;
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &value, NULL);
    for (int i = 0; i < 4 && read(fd, &times, sizeof times) > 0; i++)
        say("timerfd, each 2 s", 0);
    close(fd);
    return NULL;
}

static atomic_int rang;

static void rings(int signo)
{
    (void)signo;
    say("timer_settime", 0);
    rang = 1;
}

/* Each call is one that the system refuses by EINVAL also of root, or that changes nothing: should
 * it ever reach the system, the machine's clock stays as it is. */
static void set_clocks(void)
{
    const struct timespec early = { 1, 0 }; /* before the start of the system */
    const struct timeval second = { 1, 0 }, nothing = { 0, 0 };
    struct timex wrong = { .modes = ADJ_SETOFFSET, .time.tv_usec = -1 };
    puts(clock_settime(CLOCK_REALTIME, &early) == 0 ? "set" : strerrorname_np(errno));
    puts(settimeofday(&second, NULL) == 0 ? "set" : strerrorname_np(errno));
    puts(adjtime(&nothing, NULL) == 0 ? "set" : strerrorname_np(errno));
    puts(adjtimex(&wrong) >= 0 ? "set" : strerrorname_np(errno));
    puts(clock_adjtime(CLOCK_REALTIME, &wrong) >= 0 ? "set" : strerrorname_np(errno));
    puts(ntp_adjtime(&wrong) >= 0 ? "set" : strerrorname_np(errno));
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        set_clocks();
    static const struct {
        void *(*function)(void *);
        int data;
    } waits[] = { { sleeps, 0 },
                  { sleeps_for, 0 },
                  { condition, CLOCK_REALTIME },
                  { condition, CLOCK_MONOTONIC },
                  { semaphore, 0 },
                  { mutex, 0 },
                  { reader, 0 },
                  { writer, 0 },
                  { c11, 0 },
                  { word, 0 },
                  { timer, TFD_TIMER_ABSTIME },
                  { timer, 0 },
                  { timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET },
                  { repeats, 0 } };
    enum { COUNT = sizeof waits / sizeof *waits };
    pthread_t threads[COUNT];
    timer_t alarm;
    setvbuf(stdout, NULL, _IOLBF, 0);
    mtx_init(&taken, mtx_timed);
    mtx_lock(&taken);
    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&written);
    begun = now(CLOCK_MONOTONIC);
    until = now(CLOCK_REALTIME);
    until.tv_sec += 10;
    signal(SIGALRM, rings);
    timer_create(CLOCK_REALTIME, NULL, &alarm);
    timer_settime(alarm, TIMER_ABSTIME, &(struct itimerspec){ .it_value = until }, NULL);
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, waits[i].function, (void *)(intptr_t)waits[i].data);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    while (!rang)
        sleep(1);
    return 0;
}
