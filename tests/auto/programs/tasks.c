/* tasks.c - runs the jobs by tasks, on TEST_WORKERS workers, or two. */
#include <co4.h>
#include <pthread.h>
#include <stdlib.h>

#include "job.h"

static void *run_beside(void *job)
{
    ((const struct job *)job)->beside(1);
    return NULL;
}

static co4_task *tasks[MOST_AT_ONCE];

static int run_tasks(int count)
{
    const char *workers = getenv("TEST_WORKERS");
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = workers ? atoi(workers) : 2 });
    int all = 0;
    for (int i = 0; i < count; i++)
        tasks[i] = co4_runtime_spawn(rt, run_job(i));
    co4_runtime_start(rt);
    for (int i = 0; i < count; i++) {
        int r = -1;
        if (co4_block(co4_join(tasks[i], &r)) != CO4_OK)
            r = -1;
        all |= r;
    }
    co4_runtime_join(rt);
    return co4_runtime_destroy(rt) == CO4_OK ? all : -1;
}

int main(void)
{
    for (const struct job *job = jobs; job->count > 0; job++) {
        pthread_t thread;
        current = job;
        begin_job(job);
        if (job->beside)
            pthread_create(&thread, NULL, run_beside, (void *)job);
        int result = run_tasks(job->count);
        if (job->beside)
            pthread_join(thread, NULL);
        end_job(job, result);
    }
    return 0;
}
