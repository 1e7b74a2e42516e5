/* large_locals.c - thread-locals of more than a megabyte, with and without initial values, of many
 * threads; a thread for which there is no memory. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 40, PAGE = 4096 };

static __thread char zeros[1 << 20];
static __thread int table[1 << 16] = { 1, 2, 3, [(1 << 16) - 1] = 77 };
static __thread _Alignas(PAGE) char page[PAGE] = "page";
static pthread_barrier_t together;
static atomic_int bad;
static int fds[2], told[2];

static void *uses_all(void *arg)
{
    int i = (int)(intptr_t)arg;
    char *at = zeros;
    for (size_t k = 0; k < sizeof zeros; k += PAGE)
        bad += zeros[k] != 0;
    bad += table[0] != 1 || table[(1 << 16) - 1] != 77;
    bad += strcmp(page, "page") != 0 || (uintptr_t)page % PAGE != 0;
    memset(zeros, i, sizeof zeros);
    table[(1 << 16) - 1] = i;
    page[PAGE - 1] = (char)i;
    pthread_barrier_wait(&together);
    for (size_t k = 0; k < sizeof zeros; k += PAGE)
        bad += zeros[k] != (char)i;
    bad += table[(1 << 16) - 1] != i || page[PAGE - 1] != (char)i || at != zeros;
    return arg;
}

static void *waits(void *arg)
{
    char c;
    zeros[5] = 1;
    bad += write(told[1], "x", 1) != 1;
    bad += read(fds[0], &c, 1) != 1 || zeros[5] != 1;
    return arg;
}

static void limit_memory(long more)
{
    long pages = 0;
    struct rlimit limit;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1 || getrlimit(RLIMIT_AS, &limit) != 0)
        bad++;
    fclose(f);
    limit.rlim_cur = more == 0 ? limit.rlim_max : (rlim_t)(pages * sysconf(_SC_PAGESIZE) + more);
    bad += setrlimit(RLIMIT_AS, &limit) != 0;
}

/* The first one has its memory, and there is none for another. */
static void begin_one_too_many(void)
{
    pthread_t ids[2];
    char c;
    bad += pthread_create(&ids[0], NULL, waits, ids) != 0 || read(told[0], &c, 1) != 1;
    limit_memory(512 << 10);
    int err = pthread_create(&ids[1], NULL, waits, ids);
    limit_memory(0);
    printf("without memory: EAGAIN %d\n", err == EAGAIN);
    bad += pthread_create(&ids[1], NULL, waits, ids) != 0 || write(fds[1], "xx", 2) != 2;
    for (int i = 0; i < 2; i++) {
        void *value = NULL;
        bad += pthread_join(ids[i], &value) != 0 || value != ids;
    }
}

int main(void)
{
    pthread_t ids[THREADS];
    if (pipe(fds) != 0 || pipe(told) != 0)
        return 1;
    begin_one_too_many();
    pthread_barrier_init(&together, NULL, THREADS);
    for (int turn = 0; turn < 2; turn++) {
        for (intptr_t i = 0; i < THREADS; i++)
            bad += pthread_create(&ids[i], NULL, uses_all, (void *)(i + 1)) != 0;
        for (intptr_t i = 0; i < THREADS; i++) {
            void *value = NULL;
            bad += pthread_join(ids[i], &value) != 0 || value != (void *)(i + 1);
        }
    }
    printf("bad %d\n", bad);
    return 0;
}
