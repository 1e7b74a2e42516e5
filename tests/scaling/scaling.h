/* scaling.h - what an operation costs with n of everything, and with 2 n.
 *
 * The cost is the number of basic blocks of the library that this thread has run: the library is
 * built to call the function below in each of them. A function that is measured says itself which
 * part of it counts. */
#ifndef SCALING_H
#define SCALING_H

#include <stdint.h>
#include <stdio.h>

static _Thread_local uint64_t blocks, blocks_before, measured;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

/* The library tells of them: how many locks this thread holds. */
static _Thread_local int locks_held;

void co4__lock_taken(void);
void co4__lock_taken(void)
{
    locks_held++;
}

void co4__lock_given(void);
void co4__lock_given(void)
{
    locks_held--;
}

static inline void measure_begin(void)
{
    blocks_before = blocks;
}

static inline void measure_end(void)
{
    measured += blocks - blocks_before;
}

typedef void scenario(long n);

static inline uint64_t cost(scenario *run, long n)
{
    measured = 0;
    run(n);
    return measured;
}

/* 1: with twice as many it costs more than `most` times as much. */
static inline int grows(const char *what, scenario *run, long n, double most)
{
    run(n / 8); /* memory that is had once */
    uint64_t once = cost(run, n), twice = cost(run, 2 * n);
    double times = (double)twice / (double)(once ? once : 1);
    printf("%s: %llu blocks for %ld, %llu for %ld: %.2f times\n", what, (unsigned long long)once, n,
           (unsigned long long)twice, 2 * n, times);
    if (once == 0 || times > most) {
        printf("FAIL %s: %.2f times, not %.2f at most\n", what, times, most);
        return 1;
    }
    return 0;
}

#define LINEAR   2.3 /* in all; n log n is below it */
#define CONSTANT 1.3 /* of one operation, however much there is of the rest */

#endif
