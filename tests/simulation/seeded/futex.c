/* futex.c - locks, a condition and time limits made of SYS_futex; and other calls of syscall(). */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, TURNS = 5 };

static atomic_uint word, gate, absent; /* word: 0 free, 1 taken, 2 awaited */
static int order[THREADS * TURNS + 8], count, inside;

static long futex(atomic_uint *at, int what, unsigned value, const struct timespec *limit)
{
    return syscall(SYS_futex, at, what | FUTEX_PRIVATE_FLAG, value, limit, NULL,
                   FUTEX_BITSET_MATCH_ANY);
}

static void take(void)
{
    unsigned was = 0;
    if (atomic_compare_exchange_strong(&word, &was, 1))
        return;
    if (was != 2)
        was = atomic_exchange(&word, 2);
    while (was != 0) {
        futex(&word, FUTEX_WAIT, 2, NULL);
        was = atomic_exchange(&word, 2);
    }
}

static void give(void)
{
    if (atomic_exchange(&word, 0) == 2)
        futex(&word, FUTEX_WAKE, 1, NULL);
}

static void *turns(void *arg)
{
    while (atomic_load(&gate) == 0)
        futex(&gate, FUTEX_WAIT_BITSET, 0, NULL);
    for (int i = 0; i < TURNS; i++) {
        take();
        assert(inside++ == 0);
        order[count++] = (int)(intptr_t)arg;
        usleep(10);
        inside--;
        give();
    }
    return arg;
}

static void limits(void)
{
    struct timespec limit = { 0, 5000000 }, before, after, at;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(futex(&absent, FUTEX_WAIT, 0, &limit) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 5000000);
    at = after;
    at.tv_sec++;
    assert(futex(&absent, FUTEX_WAIT_BITSET, 0, &at) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 1;
    assert(futex(&absent, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &at) == -1 &&
           errno == ETIMEDOUT);
    assert(futex(&absent, FUTEX_WAIT, 1, NULL) == -1 && errno == EAGAIN);
    limit.tv_nsec = -1;
    assert(futex(&absent, FUTEX_WAIT, 0, &limit) == -1 && errno == EINVAL);
    assert(futex(&absent, FUTEX_WAKE, INT_MAX, NULL) == 0);
}

static void others(void)
{
    unsigned char bytes[16];
    struct timespec time;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY, 0);
    assert(syscall(SYS_getrandom, bytes, 8, 0) == 8 && fd >= 0);
    assert(syscall(SYS_read, fd, bytes + 8, 8) == 8 && syscall(SYS_close, fd) == 0);
    assert(syscall(SYS_clock_gettime, CLOCK_REALTIME, &time) == 0);
    assert(syscall(SYS_close, fd) == -1 && errno == EBADF);
    printf("%ld.%09ld ", (long)time.tv_sec, time.tv_nsec);
    for (int i = 0; i < 16; i++)
        printf("%02x", bytes[i]);
    puts("");
}

int main(int argc, char **argv)
{
    pthread_t ids[THREADS];
    (void)argv;
    for (intptr_t i = 0; i < THREADS; i++)
        assert(pthread_create(&ids[i], NULL, turns, (void *)i) == 0);
    usleep(1000);
    atomic_store(&gate, 1);
    assert(futex(&gate, FUTEX_WAKE, INT_MAX, NULL) >= 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < count; i++)
        printf("%d ", order[i]);
    puts("");
    limits();
    others();
    if (argc > 1) {
        fflush(stdout);
        futex(&absent, FUTEX_WAIT, 0, NULL); /* for ever */
    }
    return count != THREADS * TURNS;
}
