/* sqlite_tasks.c - many queries at once, a task each, on one worker.
 *
 *     sqlite_tasks DATABASE QUERIES */
#include <co4.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "sqlite_query.h"

static long *results;

static pausable void ask(const char *file, int i)
{
    results[i] = sqlite_query(file, i);
}

int main(int argc, char **argv)
{
    int queries = argc > 2 ? atoi(argv[2]) : 1;
    results = calloc((size_t)queries, sizeof *results);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (results == NULL || rt == NULL || slow_vfs_register() != SQLITE_OK)
        return 2;
    double begin = measure_seconds();
    for (int i = 0; i < queries; i++)
        co4_runtime_spawn(rt, ask(argv[1], i));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    double seconds = measure_seconds() - begin;
    for (int i = 0; i < queries; i++)
        printf("%d: %ld\n", i, results[i]);
    printf("%ld reads in %.2f s\n", slow_vfs_reads(), seconds);
    free(results);
    return co4_runtime_destroy(rt) == CO4_OK ? 0 : 1;
}
