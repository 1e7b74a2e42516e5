/* measure.h - the clock and the check of bench.h, for programs that measure: included by the one
 * file that has main(), in C or C++. */
#ifndef CO4_BENCH_MEASURE_H
#define CO4_BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void bench_check(const char *what, long long got, long long want)
{
    if (got == want)
        return;
    fprintf(stderr, "%s gave %lld, not %lld\n", what, got, want);
    exit(1);
}

#ifdef __cplusplus
}
#endif

#endif
