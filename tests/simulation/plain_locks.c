/* plain_locks.c - an object that is not woven (-DPLAIN) locks what a thread has that is paused:
 * others go on meanwhile. `plain_locks again`: it locks what its own thread has. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum how { LOCK, TIMED, CLOCK };

int take(enum how how, pthread_mutex_t *mutex, int milliseconds);

#ifdef PLAIN
int take(enum how how, pthread_mutex_t *mutex, int milliseconds)
{
    struct timespec until;
    clock_gettime(how == CLOCK ? CLOCK_MONOTONIC : CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec + milliseconds * 1000000L) / 1000000000;
    until.tv_nsec = (until.tv_nsec + milliseconds * 1000000L) % 1000000000;
    int err = how == LOCK    ? pthread_mutex_lock(mutex)
              : how == TIMED ? pthread_mutex_timedlock(mutex, &until)
                             : pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
    return err == 0 ? pthread_mutex_unlock(mutex) : err;
}
#else
static pthread_mutex_t mutexes[2] = { PTHREAD_MUTEX_INITIALIZER };
static int entered, is_held;

static void *holds(void *mutex)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(mutex);
        int before = entered;
        usleep(2000);
        assert(before == entered);
        pthread_mutex_unlock(mutex);
        usleep(10);
    }
    return NULL;
}

static void *takes(void *mutex)
{
    for (int how = LOCK; how <= CLOCK; how++) {
        assert(take(how, mutex, 100) == 0);
        entered++;
        usleep(10);
    }
    return NULL;
}

static void *takes_briefly(void *mutex)
{
    struct timespec wrong = { 0, -1 };
    while (!is_held)
        usleep(100);
    assert(take(TIMED, mutex, 10) == ETIMEDOUT && take(CLOCK, mutex, 10) == ETIMEDOUT);
    assert(take(TIMED, mutex, -10) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(mutex, &wrong) == EINVAL);
    return NULL;
}

static void *holds_long(void *mutex)
{
    pthread_mutex_lock(mutex);
    is_held = 1;
    sleep(10);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void both(void *(*first)(void *), void *(*second)(void *), pthread_mutex_t *mutex)
{
    pthread_t ids[2];
    assert(pthread_create(&ids[0], NULL, first, mutex) == 0);
    assert(pthread_create(&ids[1], NULL, second, mutex) == 0);
    assert(pthread_join(ids[0], NULL) == 0 && pthread_join(ids[1], NULL) == 0);
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t checks;
    pthread_mutexattr_init(&checks);
    pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutexes[1], &checks);
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        pthread_mutex_lock(&mutexes[1]);
        assert(take(LOCK, &mutexes[1], 0) == EDEADLK);
        pthread_mutex_lock(&mutexes[0]);
        return take(LOCK, &mutexes[0], 0);
    }
    for (int i = 0; i < 2; i++) {
        both(holds, takes, &mutexes[i]);
        is_held = 0;
        both(holds_long, takes_briefly, &mutexes[i]);
    }
    puts("done");
    return 0;
}
#endif
