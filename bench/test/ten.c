/* ten.c - what bench/test/compare runs: ten threads that add under a lock, and two that compute.
 *
 *     ten locks N      ten threads, each of which locks N times
 *     ten compute N    two threads, each of which hashes N KiB and locks after each */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;
static int count;

static void add(uint64_t n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static void *locks(void *arg)
{
    for (int i = 0; i < count; i++)
        add(1);
    return arg;
}

static uint64_t hash(uint64_t n, const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        n = (n ^ text[i]) * 0x100000001b3u;
    return n;
}

static void *compute(void *arg)
{
    unsigned char text[1024];
    memset(text, 'a', sizeof text);
    for (int i = 0; i < count; i++)
        add(hash((uint64_t)i, text, sizeof text));
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t ids[10];
    int computes = argc == 3 && strcmp(argv[1], "compute") == 0, n = computes ? 2 : 10;
    if (argc != 3)
        return 2;
    count = atoi(argv[2]);
    for (int i = 0; i < n; i++)
        if (pthread_create(&ids[i], NULL, computes ? compute : locks, NULL) != 0)
            return 1;
    for (int i = 0; i < n; i++)
        if (pthread_join(ids[i], NULL) != 0)
            return 1;
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
