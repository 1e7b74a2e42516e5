/* tls_tasks.c - sessions at once, a task each, on one worker.
 *
 *     tls_tasks SESSIONS AUTHORITY TARGET...    the targets take turns; prints what came of each */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tls_session.h"

enum { TOLD = 1024 };

static pausable void session(const char *target, int i, char *told)
{
    tls_session(target, i, told, TOLD);
}

int main(int argc, char **argv)
{
    int sessions = argc > 3 ? atoi(argv[1]) : 0;
    char *told = calloc((size_t)sessions, TOLD);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (sessions == 0 || told == NULL || rt == NULL || !tls_begin(argv[2]))
        return 2;
    double begin = measure_seconds();
    for (int i = 0; i < sessions; i++)
        co4_runtime_spawn(rt, session(argv[3 + i % (argc - 3)], i, told + (size_t)i * TOLD));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    fprintf(stderr, "%d sessions in %.2f s\n", sessions, measure_seconds() - begin);
    for (int i = 0; i < sessions; i++)
        printf("%s\n", told + (size_t)i * TOLD);
    free(told);
    tls_end();
    return co4_runtime_destroy(rt) == CO4_OK ? 0 : 1;
}
