/* hiredis_threads.c - clients of hiredis_many.h, a thread each.
 *
 *     hiredis_threads SOCKET CLIENTS */
#include <pthread.h>
#include <stdint.h>

#include "hiredis_many.h"

extern int hiredis_client(const char *path, int i);

static int *results;
static const char *path;

static void *client(void *data)
{
    int i = (int)(intptr_t)data;
    results[i] = hiredis_client(path, i);
    return NULL;
}

int main(int argc, char **argv)
{
    int clients = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t *threads = calloc((size_t)clients, sizeof *threads);
    pthread_attr_t small;
    results = calloc((size_t)clients, sizeof *results);
    path = argv[1];
    redisContext *control = redisConnectUnix(path);
    if (results == NULL || threads == NULL || control == NULL || control->err)
        return 2;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    long before = measure_bytes();
    double begin = measure_seconds();
    for (int i = 0; i < clients; i++)
        if (pthread_create(&threads[i], &small, client, (void *)(intptr_t)i) != 0) {
            fprintf(stderr, "thread %d cannot start\n", i);
            return 2;
        }
    if (!many_release(control, clients, "threads", before))
        return 1;
    for (int i = 0; i < clients; i++)
        pthread_join(threads[i], NULL);
    int status = many_end("threads", clients, results, begin);
    redisFree(control);
    free(results);
    free(threads);
    return status;
}
