/* many.c - see many.h.
 *
 *     PROGRAM SERVER COUNT
 *
 * Prints what the process has when all sessions wait, and what processors have done at the end. */
#include "many.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure.h"

enum { AT_ONCE = 100 }; /* that connect: a server's queue holds no more */

static const char *server;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int begun, waiting, failed, ended, *results;

void many_waits(void)
{
    pthread_mutex_lock(&guard);
    waiting++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&guard);
}

static void *session(void *data)
{
    int i = (int)(intptr_t)data;
    results[i] = many_session(server, i);
    pthread_mutex_lock(&guard);
    ended++;
    failed += results[i] != MANY_ROUNDS;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&guard);
    return NULL;
}

/* Returns 0 if a session has failed before all wait. */
static int all_wait(pthread_t *threads, int count)
{
    pthread_mutex_lock(&guard);
    for (; waiting < count && !failed; pthread_cond_wait(&changed, &guard))
        for (; begun < count && begun < waiting + AT_ONCE; begun++)
            if (pthread_create(&threads[begun], NULL, session, (void *)(intptr_t)begun) != 0) {
                fprintf(stderr, "thread %d cannot begin\n", begun);
                _exit(2);
            }
    pthread_mutex_unlock(&guard);
    return waiting == count;
}

static int threads_of_system(void)
{
    char line[256];
    int n = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "Threads:", 8) == 0)
            n = atoi(line + 8);
    if (f != NULL)
        fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    int good = 0, count = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    struct rusage used;
    results = calloc((size_t)count, sizeof *results);
    server = argv[1];
    if (threads == NULL || results == NULL || !all_wait(threads, count))
        _exit(2);   /* what the library does at an end by exit() is not for others that still run */
    usleep(300000); /* the last ones are about to wait */
    printf("%d wait: %d threads, %ld KB\n", count, threads_of_system(), measure_bytes() / 1024);
    fflush(stdout);
    if (ended > 0 || !many_release(server, count))
        _exit(2);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++)
        good += results[i] == MANY_ROUNDS;
    getrusage(RUSAGE_SELF, &used);
    printf("%d of %d sessions end well: %.2f s of processors\n", good, count,
           (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    free(threads);
    free(results);
    return good == count ? 0 : 1;
}
