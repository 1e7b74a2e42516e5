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

int main(void)
{
    mutexes(CLOCK_REALTIME);
    mutexes(CLOCK_MONOTONIC);
    others(CLOCK_REALTIME);
    others(CLOCK_MONOTONIC);
    wrong_clock();
    return 0;
}
