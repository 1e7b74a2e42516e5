/* prefers_writers.c - a read-write lock that prefers writers gives them the lock though readers
 * overlap without an end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock;
static volatile int stop;

static void *reads(void *unused)
{
    while (!stop) {
        pthread_rwlock_rdlock(&lock);
        usleep(3000);
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *holds(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    while (!stop)
        usleep(1000);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static struct timespec in_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

int main(void)
{
    pthread_rwlockattr_t kind;
    pthread_t t[4];
    struct timespec until;
    alarm(40);
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &kind);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t[i], NULL, reads, NULL);
        usleep(700);
    }
    for (int i = 0; i < 5; i++) {
        printf("a writer: %d\n", pthread_rwlock_wrlock(&lock));
        until = in_ms(1);
        printf("once more: %s, %s\n", strerror(pthread_rwlock_wrlock(&lock)),
               strerror(pthread_rwlock_timedrdlock(&lock, &until)));
        printf("unlocked: %d\n", pthread_rwlock_unlock(&lock));
        until = in_ms(20000);
        printf("with a limit: %d", pthread_rwlock_timedwrlock(&lock, &until));
        printf(", %d\n", pthread_rwlock_unlock(&lock));
    }
    stop = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    stop = 0;
    pthread_create(&t[0], NULL, holds, NULL);
    usleep(50000);
    until = in_ms(50);
    printf("its limit comes: %s\n", strerror(pthread_rwlock_timedwrlock(&lock, &until)));
    printf("a reader: %d, %d\n", pthread_rwlock_rdlock(&lock), pthread_rwlock_unlock(&lock));
    stop = 1;
    pthread_join(t[0], NULL);
    return 0;
}
