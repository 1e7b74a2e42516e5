/* main.c - co4bench: runs workloads beside their bases and prints medians.
 *
 *     co4bench [--json] [--rounds N] [--workers N] [--size N] [NAME ...]
 *     co4bench --raw [--workers N] NAME [SIZE]
 *     co4bench --list
 *
 * --raw: one run, without its base, as the programs of peers/ do it.
 *
 * Timings on a shared machine drift; a ratio of two things measured alternately drifts less. So
 * base and workload take turns, and the ratio is that of the medians. The first turn of each warms
 * up and is not counted. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "measure.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, MAX_ROUNDS = 101 };

typedef struct figures {
    double value, base, min, max;
} figures;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static figures measure(const bench_workload *w, long size, int rounds)
{
    double values[MAX_ROUNDS], bases[MAX_ROUNDS];
    for (int i = -1; i < rounds; i++) {
        double base = w->base(size), value = w->run(size);
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

/* memory first: its children must not inherit what the others have used and given back */
static const bench_workload *const groups[] = { bench_memory, bench_calls, bench_generators,
                                                bench_tasks,  bench_waits, bench_processors,
                                                NULL };

static const bench_workload *find(const char *name)
{
    for (size_t g = 0; groups[g] != NULL; g++)
        for (const bench_workload *w = groups[g]; w->name != NULL; w++)
            if (strcmp(name, w->name) == 0)
                return w;
    fprintf(stderr, "co4bench: no workload '%s'\n", name);
    exit(2);
}

static void usage(void)
{
    fprintf(stderr, "usage: co4bench [--json] [--rounds N] [--workers N] [--size N] [NAME ...]\n"
                    "       co4bench --raw [--workers N] NAME [SIZE]\n"
                    "       co4bench --list\n");
    exit(2);
}

static long number(const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        fprintf(stderr, "co4bench: '%s' is no number from %ld to %ld\n", text, least, most);
        exit(2);
    }
    return value;
}

static void print_once(const bench_workload *w, long size)
{
    printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"size\": %ld}\n", w->name,
           w->run(size), w->unit, size);
}

static void print_list(void)
{
    for (size_t g = 0; groups[g] != NULL; g++)
        for (const bench_workload *w = groups[g]; w->name != NULL; w++)
            printf("%s\n", w->name);
}

static void print_row(const bench_workload *w, figures f)
{
    printf("%-16s %7.2f %-2.5s %7.2f %-2.5s %6.2fx   %.2f - %.2f\n", w->name, f.value, w->unit,
           f.base, w->unit, f.value / f.base, f.min, f.max);
}

static void print_json(const bench_workload *w, figures f, const char *separator)
{
    printf("%s\n  {\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\", \"base\": %.4g, "
           "\"ratio\": %.4g, \"min\": %.4g, \"max\": %.4g}",
           separator, w->name, f.value, w->unit, f.base, f.value / f.base, f.min, f.max);
}

int bench_workers;

int main(int argc, char **argv)
{
    bool json = false, raw = false;
    bench_workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int rounds = ROUNDS, at = 1;
    long size = 0; /* each workload's own */
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++)
        if (strcmp(argv[at], "--json") == 0)
            json = true;
        else if (strcmp(argv[at], "--raw") == 0)
            raw = true;
        else if (strcmp(argv[at], "--rounds") == 0 && at + 1 < argc)
            rounds = (int)number(argv[++at], 1, MAX_ROUNDS);
        else if (strcmp(argv[at], "--workers") == 0 && at + 1 < argc)
            bench_workers = (int)number(argv[++at], 1, 1024);
        else if (strcmp(argv[at], "--size") == 0 && at + 1 < argc)
            size = number(argv[++at], 1, LONG_MAX);
        else if (strcmp(argv[at], "--list") == 0 && argc == 2)
            return print_list(), 0;
        else
            usage();
    if (raw) {
        if (at >= argc || argc > at + 2)
            usage();
        const bench_workload *w = find(argv[at]);
        if (at + 1 < argc)
            size = number(argv[at + 1], 1, LONG_MAX);
        print_once(w, size != 0 ? size : w->size);
        return 0;
    }
    for (int i = at; i < argc; i++)
        find(argv[i]);
    if (json)
        printf("{\"workloads\": [");
    else
        printf("%-16s %10s %10s %8s   %s\n", "workload", "value", "base", "ratio", "min - max");
    const char *separator = "";
    for (size_t g = 0; groups[g] != NULL; g++)
        for (const bench_workload *w = groups[g]; w->name != NULL; w++) {
            if (!wanted(w->name, argv + at, argc - at))
                continue;
            figures f = measure(w, size != 0 ? size : w->size,
                                w->rounds != 0 && w->rounds < rounds ? w->rounds : rounds);
            if (json)
                print_json(w, f, separator);
            else
                print_row(w, f);
            fflush(stdout);
            separator = ",";
        }
    if (json)
        printf("\n]}\n");
    return 0;
}
