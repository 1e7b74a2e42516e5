/* measure.h - what the two clients in C share: times, and the line of figures.
 *
 *     client URL pubsub N SIZE     N messages from one connection to another
 *     client URL request N         N requests, one after the other, to a responder
 *     client URL requests N        … 64 at a time
 *     client URL pull N            N messages of a stream: taken, 100 at a time, and acknowledged
 *     client URL waiting N         N requests wait at the same time: bytes each */
#ifndef MEASURE_H
#define MEASURE_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 64, PULLED = 100 };

static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of the process. */
static inline double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double began, began_processor;

static inline void begin(void)
{
    began_processor = processor_seconds();
    began = seconds_now();
}

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* `times`: of each operation, or NULL. */
static inline void print_figures(long n, double *times)
{
    double took = seconds_now() - began, used = processor_seconds() - began_processor;
    printf("{\"rate\": %.0f, \"processor\": %.3f", (double)n / took, used / (double)n * 1e6);
    if (times) {
        qsort(times, (size_t)n, sizeof *times, ascending);
        printf(", \"p50\": %.1f, \"p99\": %.1f", times[n / 2] * 1e6, times[n * 99 / 100] * 1e6);
    }
    printf("}\n");
    fflush(stdout);
}

static inline size_t resident_bytes(void)
{
    unsigned long size, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
        abort();
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static inline void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

#endif
