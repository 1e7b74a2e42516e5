/* main.c - co4bench: runs workloads beside their bases and prints medians.
 *
 *     co4bench [--json] [--rounds N] [NAME ...]
 *
 * Timings on a shared machine drift; a ratio of two things measured alternately drifts less. So base and workload take turns,
 * and the ratio is that of the medians. The first turn of each warms up and is not counted. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, MAX_ROUNDS = 101 };

typedef struct figures {
    double value, base, min, max;
} figures;

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
    fprintf(stderr, "co4bench: %s gave %lld, not %lld\n", what, got, want);
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static figures measure(const bench_workload *w, int rounds)
{
    double values[MAX_ROUNDS], bases[MAX_ROUNDS];
    for (int i = -1; i < rounds; i++) {
        double base = w->base(), value = w->run();
        if (i >= 0) {
            bases[i] = base;
            values[i] = value;
        }
    }
    qsort(values, (size_t)rounds, sizeof *values, ascending);
    qsort(bases, (size_t)rounds, sizeof *bases, ascending);
    return (figures){ values[rounds / 2], bases[rounds / 2], values[0], values[rounds - 1] };
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return count == 0;
}

static bool known(const char *name, const bench_workload *const *groups)
{
    for (; *groups != NULL; groups++)
        for (const bench_workload *w = *groups; w->name != NULL; w++)
            if (strcmp(name, w->name) == 0)
                return true;
    return false;
}

static int usage(void)
{
    fprintf(stderr, "usage: co4bench [--json] [--rounds N] [NAME ...]\n");
    return 2;
}

int main(int argc, char **argv)
{
    /* memory first: its children must not inherit what the others have used and given back */
    static const bench_workload *const groups[] = { bench_memory, bench_calls, bench_generators,
                                                    bench_tasks, NULL };
    bool json = false;
    int rounds = ROUNDS, at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++)
        if (strcmp(argv[at], "--json") == 0)
            json = true;
        else if (strcmp(argv[at], "--rounds") == 0 && at + 1 < argc)
            rounds = atoi(argv[++at]);
        else
            return usage();
    if (rounds < 1 || rounds > MAX_ROUNDS)
        return usage();
    for (int i = at; i < argc; i++)
        if (!known(argv[i], groups)) {
            fprintf(stderr, "co4bench: no workload '%s'\n", argv[i]);
            return 2;
        }
    if (json)
        printf("{\"workloads\": [");
    else
        printf("%-16s %10s %10s %8s   %s\n", "workload", "value", "base", "ratio", "min - max");
    const char *separator = "";
    for (size_t g = 0; groups[g] != NULL; g++)
        for (const bench_workload *w = groups[g]; w->name != NULL; w++) {
            if (!wanted(w->name, argv + at, argc - at))
                continue;
            figures f = measure(w, w->rounds != 0 && w->rounds < rounds ? w->rounds : rounds);
            double ratio = f.value / f.base;
            if (json)
                printf("%s\n  {\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"base\": "
                       "%.4g, \"ratio\": %.4g, "
                       "\"min\": %.4g, \"max\": %.4g}",
                       separator, w->name, f.value, w->unit, f.base, ratio, f.min, f.max);
            else
                printf("%-16s %7.2f %-2.5s %7.2f %-2.5s %6.2fx   %.2f - %.2f\n", w->name, f.value,
                       w->unit, f.base, w->unit, ratio, f.min, f.max);
            fflush(stdout);
            separator = ",";
        }
    if (json)
        printf("\n]}\n");
    return 0;
}
