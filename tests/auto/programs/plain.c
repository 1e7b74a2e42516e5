/* plain.c - runs the jobs by threads. */
#include <pthread.h>
#include <stddef.h>

#include "job.h"

static int results[MOST_AT_ONCE];
static pthread_t threads[MOST_AT_ONCE];

static void *begin(void *arg)
{
    int i = (int)(long)arg;
    results[i] = run_job(i);
    return NULL;
}

static void *run_beside(void *job)
{
    ((const struct job *)job)->beside(1);
    return NULL;
}

int main(void)
{
    for (const struct job *job = jobs; job->count > 0; job++) {
        pthread_t thread;
        int result = 0;
        current = job;
        begin_job(job);
        if (job->beside)
            pthread_create(&thread, NULL, run_beside, (void *)job);
        for (long i = 0; i < job->count; i++)
            pthread_create(&threads[i], NULL, begin, (void *)i);
        for (int i = 0; i < job->count; i++) {
            pthread_join(threads[i], NULL);
            result |= results[i];
        }
        if (job->beside)
            pthread_join(thread, NULL);
        end_job(job, result);
    }
    return 0;
}
