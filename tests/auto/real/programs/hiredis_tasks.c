/* hiredis_tasks.c - clients of hiredis_many.h, a task each, with two workers.
 *
 *     hiredis_tasks SOCKET CLIENTS */
#include <co4.h>

#include "hiredis_many.h"

extern int hiredis_client(const char *path, int i);

static int *results;

static pausable void client(const char *path, int i)
{
    results[i] = hiredis_client(path, i);
}

int main(int argc, char **argv)
{
    int clients = argc > 2 ? atoi(argv[2]) : 1;
    results = calloc((size_t)clients, sizeof *results);
    redisContext *control = redisConnectUnix(argv[1]);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    if (results == NULL || control == NULL || control->err || rt == NULL)
        return 2;
    co4_runtime_start(rt);
    long before = measure_bytes();
    double begin = measure_seconds();
    for (int i = 0; i < clients; i++)
        co4_runtime_spawn(rt, client(argv[1], i));
    if (!many_release(control, clients, "tasks", before))
        return 1;
    co4_runtime_join(rt);
    int status = many_end("tasks", clients, results, begin);
    redisFree(control);
    free(results);
    return co4_runtime_destroy(rt) == CO4_OK ? status : 1;
}
