/* ids.c - a pthread_t that is used once more: each call says that there is no such thread, or that
 * it is detached. One that has ended is there until it is joined, also without a limit of time. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 300, AT_ONCE = 8 };

static int ended;

static void *end(void *arg)
{
    usleep(100);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
    return arg;
}

static pthread_mutex_t goes = PTHREAD_MUTEX_INITIALIZER;

static void *end_later(void *arg)
{
    pthread_mutex_lock(&goes);
    pthread_mutex_unlock(&goes);
    return arg;
}

static const char *name(int err)
{
    return err == 0 ? "0" : err == ESRCH ? "ESRCH" : err == EINVAL ? "EINVAL" : "another error";
}

int main(void)
{
    pthread_t id, ids[AT_ONCE];
    void *value;
    if (pthread_create(&id, NULL, end, NULL) != 0)
        return 1;
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    printf("ended: %s\n", name(pthread_kill(id, 0)));
    pthread_join(id, NULL);
    printf("joined: %s", name(pthread_join(id, NULL)));
    printf(" %s\n", name(pthread_detach(id)));

    pthread_mutex_lock(&goes);
    pthread_create(&id, NULL, end_later, NULL);
    printf("detached: %s", name(pthread_detach(id)));
    printf(" %s %s\n", name(pthread_detach(id)), name(pthread_join(id, NULL)));
    pthread_mutex_unlock(&goes);

    static const struct timespec no_time = { 0, -1 };
    pthread_create(&id, NULL, end, NULL);
    printf("joined by times: %s", name(pthread_clockjoin_np(id, NULL, 99, &no_time)));
    printf(" %s", name(pthread_clockjoin_np(id, &value, CLOCK_MONOTONIC, NULL)));
    pthread_create(&id, NULL, end, NULL);
    printf(" %s\n", name(pthread_timedjoin_np(id, &value, NULL)));

    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (intptr_t i = 0; i < AT_ONCE; i++)
            if (pthread_create(&ids[i], NULL, end, (void *)i) != 0)
                exit(1);
        for (int i = 0; i < AT_ONCE; i++)
            if (i == round % AT_ONCE)
                pthread_detach(ids[i]);
            else if (pthread_join(ids[i], &value) == 0)
                sum += (intptr_t)value;
    }
    printf("%ld\n", sum);
    return 0;
}
