/* peer.h - what the peers in C and C++ have in common: the clock, the check, the command line.
 *
 *     PROGRAM [--workers N] WORKLOAD SIZE      one run:
 *         {"name": "ring", "value": 31.2, "unit": "ns", "size": 1000000}
 *     PROGRAM --list                           the workloads it has
 *
 * The same command line and line of output as `co4bench --raw` and the peers in other languages.
 * Each workload checks what it has computed: a wrong result ends the program with 1, and is no
 * figure. Included by the one file that has main(). */
#ifndef CO4_BENCH_PEER_H
#define CO4_BENCH_PEER_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "../measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct peer_workload {
    const char *name;
    const char *unit; /* "ns", "ms" or "bytes" */
    double (*run)(long size);
} peer_workload;

/* Common to all workloads: bench/calls.c, generators.c and tasks.c have these, too. */
enum {
    PEER_FIB = 32,
    PEER_FIB_IS = 2178309,
    PEER_FIB_CALLS = 7049155,
    PEER_TAK_IS = 7,
    PEER_TAK_CALLS = 63609,
    PEER_ACK_IS = 1021,
    PEER_ACK_CALLS = 693964,
    PEER_RING = 503,
    PEER_PRODUCERS = 8,
    PEER_CAPACITY = 300
};

static int peer_workers = 1;

/* Nanoseconds of each of `count` since `begin`. */
static inline double peer_ns(double begin, double count)
{
    return (bench_now() - begin) * 1e9 / count;
}

static inline double peer_resident(void)
{
    long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL || fscanf(statm, "%ld %ld", &size, &resident) != 2)
        exit(1);
    fclose(statm);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* Two matrices to multiply; the product is checked in one place. */
struct peer_product {
    double *a, *b, *c;
};

static inline struct peer_product peer_product_new(long n)
{
    size_t count = (size_t)(n * n);
    struct peer_product p = { (double *)malloc(count * sizeof(double)),
                              (double *)malloc(count * sizeof(double)),
                              (double *)calloc(count, sizeof(double)) };
    for (size_t i = 0; i < count; i++) {
        p.a[i] = (double)(i % 7);
        p.b[i] = (double)(i % 5);
    }
    return p;
}

static inline void peer_product_check(struct peer_product *p, long n)
{
    double want = 0;
    for (long k = 0; k < n; k++)
        want += p->a[n * (n / 3) + k] * p->b[k * n + n / 2];
    bench_check("matmul", (long)p->c[n * (n / 3) + n / 2], (long)want);
    free(p->a);
    free(p->b);
    free(p->c);
}

static int peer_main(int argc, char **argv, const peer_workload *workloads)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (; workloads->name != NULL; workloads++)
            puts(workloads->name);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--workers") == 0) {
        peer_workers = atoi(argv[2]);
        argc -= 2;
        argv += 2;
    }
    long size = argc == 3 ? atol(argv[2]) : 0;
    if (size < 1 || peer_workers < 1) {
        fprintf(stderr, "usage: PROGRAM [--workers N] WORKLOAD SIZE | --list\n");
        return 2;
    }
    for (; workloads->name != NULL; workloads++)
        if (strcmp(workloads->name, argv[1]) == 0) {
            printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"size\": %ld}\n",
                   workloads->name, workloads->run(size), workloads->unit, size);
            return 0;
        }
    fprintf(stderr, "no workload '%s'\n", argv[1]);
    return 2;
}

#endif
