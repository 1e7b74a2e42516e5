/* retry.c - the lead example of co4/retry.h.
 * modes: woven forced
 * expect: 3 attempts: no error */
#include <co4.h>
#include <stdio.h>

struct job {
    int attempts;
};

static const co4_retry policy = { .attempts = 5,
                                  .backoff = CO4_BACKOFF_EXPONENTIAL,
                                  .delay = 10 * CO4_MS,
                                  .most = CO4_SEC,
                                  .jitter = CO4_JITTER_EQUAL };

static pausable int fetch(struct job *job)
{
    return ++job->attempts < 3 ? CO4_EFULL : CO4_OK;
}

static pausable void work(void)
{
    struct job job = { 0 };
    int err = co4_retry_run(&policy, fetch(&job));
    printf("%d attempts: %s\n", job.attempts, co4_strerror(err));
}

int main(void)
{
    co4_run(work());
    return 0;
}
