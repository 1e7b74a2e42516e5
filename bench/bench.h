/* bench.h - the description of a workload.
 *
 * Each workload measures itself beside a base in plain or hand-written C that does the same work,
 * in the same run. `run` and `base` do `size` operations, or something of that size, and return the
 * cost of one, in the workload's unit; both check their own results and end the program when one is
 * wrong. The driver calls them in turn, several times, and reports medians. */
#ifndef CO4_BENCH_H
#define CO4_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_workload {
    const char *name;
    const char *unit; /* "ns", "ms" or "bytes" */
    double (*run)(long size);
    double (*base)(long size);
    long size;  /* unless --size says another */
    int rounds; /* 0: the driver's default */
} bench_workload;

extern const bench_workload bench_calls[], bench_generators[], bench_tasks[], bench_waits[],
    bench_processors[], bench_memory[]; /* ended by a NULL name */
/* --workers N; else one a processor, which is what a runtime has by itself. */
extern int bench_workers;

double bench_now(void); /* seconds */
/* Ends the program unless got == want. */
void bench_check(const char *what, long long got, long long want);

/* A runtime with so many. bench_finish() starts it, waits for all its tasks and ends it; the
 * seconds from start to join. */
struct co4_runtime *bench_runtime(void);
double bench_finish(struct co4_runtime *rt);

/* ---- the bases: plain.c, compiled without the weaver ---- */

int plain_fib(int n);
int plain_tak(int x, int y, int z);
int plain_ackermann(int m, int n);
long plain_generator(long count); /* a hand-written iterator, summed */
long plain_walk(int depth);       /* a visitor called for each node of a perfect tree, summed */
void plain_ring(int tasks, long hops); /* state machines on a hand-written run queue */
void plain_ping_pong(long rounds);
long plain_fan_in(int producers, long each);
long plain_skynet(long leaves);
long plain_spawn(long count);
void plain_yield_two(long each);
double plain_parked_bytes(long count,
                          int own); /* resident bytes of a hand-written waiter, and its slot */
long plain_select(int sources, long each);     /* looks into one ring after the other */
long plain_timers(long count, bool cancelled); /* a binary heap: armed, then taken out; how many */
double plain_load_step(long ns);               /* works for so long; nanoseconds that it took */
long plain_queens(unsigned all, unsigned columns, unsigned left, unsigned right);
long plain_queens_solutions(int n);
enum { PLAIN_LEAF = 64 }; /* a product of this size is not divided any more */
void plain_multiply(double *c, const double *a, const double *b, int n, int stride);
double bench_resident(void); /* resident bytes of this process */

#ifdef __cplusplus
}
#endif

#endif
