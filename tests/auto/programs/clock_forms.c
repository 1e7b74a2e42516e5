/* clock_forms.c - locks, conditions and semaphores with a deadline of a clock that the caller
 * chooses. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 30000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static const char *name(int err)
{
    return err ? strerrorname_np(err) : "0";
}

/* A deadline that has come is not too early by its clock. */
static const char *late(clockid_t clock, const struct timespec *until)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > until->tv_sec ||
                   (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec)
               ? "late"
               : "early";
}

static void mutexes(clockid_t clock)
{
    static const int kinds[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                 PTHREAD_MUTEX_ERRORCHECK };
    for (int i = 0; i < 3; i++) {
        pthread_mutexattr_t kind;
        pthread_mutex_t mutex;
        pthread_cond_t change = PTHREAD_COND_INITIALIZER;
        struct timespec until = soon(clock), wrong = { 0, -1 };
        pthread_mutexattr_init(&kind);
        pthread_mutexattr_settype(&kind, kinds[i]);
        pthread_mutex_init(&mutex, &kind);
        printf("mutex %d: %s", i, name(pthread_mutex_clocklock(&mutex, clock, &until)));
        printf(", again %s", name(pthread_mutex_clocklock(&mutex, clock, &until)));
        printf(", wrong %s", name(pthread_mutex_clocklock(&mutex, clock, &wrong)));
        if (i == 1) {
            pthread_mutex_unlock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        until = soon(clock);
        printf(", condition %s", name(pthread_cond_clockwait(&change, &mutex, clock, &until)));
        printf(" %s", late(clock, &until));
        printf(", unlock %s", name(pthread_mutex_unlock(&mutex)));
        printf(", once more %s\n", i == 0 ? "-" : name(pthread_mutex_unlock(&mutex)));
    }
}

static void others(clockid_t clock)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec until = soon(clock);
    sem_t sem;
    printf("write %s", name(pthread_rwlock_clockwrlock(&lock, clock, &until)));
    printf(", again %s", name(pthread_rwlock_clockwrlock(&lock, clock, &until)));
    printf(", by the plain call %s", name(pthread_rwlock_wrlock(&lock)));
    printf(", read %s", name(pthread_rwlock_clockrdlock(&lock, clock, &until)));
    printf(", unlock %s", name(pthread_rwlock_unlock(&lock)));
    printf(", read %s", name(pthread_rwlock_clockrdlock(&lock, clock, &until)));
    printf(", write %s", name(pthread_rwlock_clockwrlock(&lock, clock, &until)));
    printf(" %s\n", late(clock, &until));
    sem_init(&sem, 0, 1);
    until = soon(clock);
    printf("semaphore %d", sem_clockwait(&sem, clock, &until));
    int n = sem_clockwait(&sem, clock, &until);
    printf(", %d %s", n, name(errno));
    printf(" %s\n", late(clock, &until));
}

static void wrong_clock(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t change = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec until = soon(CLOCK_REALTIME);
    sem_t sem;
    sem_init(&sem, 0, 0);
    printf("a wrong clock: %s",
           name(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &until)));
    pthread_mutex_trylock(&mutex);
    printf(" %s", name(pthread_cond_clockwait(&change, &mutex, CLOCK_PROCESS_CPUTIME_ID, &until)));
    printf(" %s", name(pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &until)));
    printf(" %s", name(pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &until)));
    int n = sem_clockwait(&sem, CLOCK_PROCESS_CPUTIME_ID, &until);
    printf(" %d %s\n", n, name(errno));
}

static const struct timespec wrong_times[] = { { 0, -1 }, { 0, 1000000000 }, { -1, -1 } };

/* A lock, free or its caller's, and a semaphore with a permit: the time is looked at first. */
static void wrong_time(const struct timespec *wrong)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t sem;
    for (int i = 0; i < 3; i++) {
        static const char *const who[] = { "free", "read", "written" };
        if (i > 0)
            (i == 1 ? pthread_rwlock_rdlock : pthread_rwlock_wrlock)(&lock);
        printf("a wrong time, %s: %s", who[i], name(pthread_rwlock_timedrdlock(&lock, wrong)));
        printf(" %s", name(pthread_rwlock_timedwrlock(&lock, wrong)));
        printf(" %s", name(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, wrong)));
        printf(" %s", name(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, wrong)));
        printf(" %s\n", i == 0 ? "-" : name(pthread_rwlock_unlock(&lock)));
    }
    for (unsigned permits = 0; permits < 2; permits++) {
        sem_init(&sem, 0, permits);
        int n = sem_timedwait(&sem, wrong);
        printf("%u permits: %d %s", permits, n, name(errno));
        n = sem_clockwait(&sem, CLOCK_MONOTONIC, wrong);
        printf(" %d %s\n", n, name(errno));
    }
}

/* Of a mutex that its caller has, the clock. */
static void wrong_clock_again(int type)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t mutex;
    struct timespec until = soon(CLOCK_REALTIME), wrong = { 0, -1 };
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, type);
    pthread_mutex_init(&mutex, &kind);
    pthread_mutex_lock(&mutex);
    printf("a wrong clock, again: %s",
           name(pthread_mutex_clocklock(&mutex, CLOCK_BOOTTIME, &until)));
    printf(" %s", name(pthread_mutex_clocklock(&mutex, CLOCK_BOOTTIME, &wrong)));
    printf(" %s\n", name(pthread_mutex_unlock(&mutex)));
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        wrong_time(&wrong_times[i]);
    wrong_clock_again(PTHREAD_MUTEX_NORMAL);
    wrong_clock_again(PTHREAD_MUTEX_RECURSIVE);
    wrong_clock_again(PTHREAD_MUTEX_ERRORCHECK);
    mutexes(CLOCK_REALTIME);
    mutexes(CLOCK_MONOTONIC);
    others(CLOCK_REALTIME);
    others(CLOCK_MONOTONIC);
    wrong_clock();
    return 0;
}
