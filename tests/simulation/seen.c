/* seen.c - prints what a run sees that could differ from run to run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, TURNS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[THREADS * TURNS], count;

static void *turns(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        order[count++] = (int)(intptr_t)arg;
        pthread_mutex_unlock(&lock);
        if (i % 2)
            usleep(10);
    }
    return arg;
}

int main(void)
{
    pthread_t ids[THREADS];
    struct timespec monotonic, real, utc, cpu, resolution, after;
    struct timeval day;
    struct tms spent;
    unsigned long long drawn[3];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, turns, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("order:");
    for (int i = 0; i < count; i++)
        printf(" %d", order[i]);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    clock_getres(CLOCK_REALTIME, &resolution);
    timespec_get(&utc, TIME_UTC);
    gettimeofday(&day, NULL);
    printf("\nclocks: %ld.%09ld %ld.%09ld %ld.%09ld %ld %ld.%09ld %ld.%06ld %ld %ld %ld\n",
           (long)monotonic.tv_sec, monotonic.tv_nsec, (long)real.tv_sec, real.tv_nsec,
           (long)cpu.tv_sec, cpu.tv_nsec, resolution.tv_nsec, (long)utc.tv_sec, utc.tv_nsec,
           (long)day.tv_sec, (long)day.tv_usec, (long)time(NULL), (long)clock(),
           (long)times(&spent));
    sleep(3600);
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("slept %ld s, %ld s\n", (long)(after.tv_sec - monotonic.tv_sec),
           (long)(time(NULL) - real.tv_sec));
    if (getrandom(&drawn[0], sizeof drawn[0], 0) != sizeof drawn[0] ||
        getentropy(&drawn[1], sizeof drawn[1]) != 0)
        abort();
    drawn[2] = arc4random_uniform(1000) + 1000ull * arc4random_uniform(1);
    printf("random: %llx %llx %llu\n", drawn[0], drawn[1], drawn[2]);
    return 0;
}
