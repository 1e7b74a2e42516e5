/* writers.c - a read-write lock that prefers writers, with many of them at once: each gets it in
 * its turn, and no call fails. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 30 };

static pthread_rwlock_t lock;
static long written, failed;

static void *run(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        int writes = (i + (int)(intptr_t)number) % 3 != 0;
        if ((writes ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock)) != 0) {
            __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
            continue;
        }
        long before = written;
        usleep(100);
        if (writes)
            written = before + 1;
        if (pthread_rwlock_unlock(&lock) != 0)
            __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_rwlockattr_t a;
    pthread_t ids[THREADS];
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &a);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("%ld written, %ld failed\n", written, failed);
    return 0;
}
