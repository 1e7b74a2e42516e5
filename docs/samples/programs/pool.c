/* pool - a worker pool: jobs are tried up to three times; each gives a result or an error.
 * needs: threads
 * modes: woven forced
 * expect: job 1: 1 after 2 attempts
 * expect: job 2: 4 after 1 attempts
 * expect: job 3: 9 after 2 attempts
 * expect: job 4: error -5 after 3 attempts
 * expect: job 5: 25 after 2 attempts
 * expect: job 6: 36 after 1 attempts
 * expect: job 7: 49 after 2 attempts
 * expect: job 8: error -5 after 3 attempts
 * expect: pool: CO4_OK CO4_OK */
#include <co4.h>
#include <stdio.h>

enum { JOBS = 8, WORKERS = 3, E_BAD_JOB = -5, E_BUSY = -6 };

struct result {
    int job, value, error, attempts;
};

typedef CO4_MAILBOX_OF(int) job_box;
typedef CO4_MAILBOX_OF(struct result) result_box;

/* Jobs divisible by 4 never work, odd ones only at the second attempt. */
static pausable int attempt(struct result *r, int number)
{
    r->attempts = number;
    co4_sleep(CO4_MS);
    if (r->job % 4 == 0)
        return E_BAD_JOB;
    if (r->job % 2 == 1 && number < 2)
        return E_BUSY;
    r->value = r->job * r->job;
    return CO4_OK;
}

static const co4_retry policy = {
    .attempts = 3, .backoff = CO4_BACKOFF_EXPONENTIAL, .delay = CO4_MS, .jitter = CO4_JITTER_EQUAL
};

static pausable int worker(job_box jobs, result_box results)
{
    int job, err;
    while ((err = co4_typed_receive(jobs, &job)) == CO4_OK) {
        struct result r = { .job = job };
        r.error = co4_retry_run(&policy, attempt(&r, co4_attempt));
        if ((err = co4_typed_send(results, &r)) != CO4_OK)
            return err;
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int pool(job_box jobs, result_box results)
{
    int err = CO4_OK;
    for (int i = 0; i < WORKERS && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), worker(jobs, results));
    for (int i = 1; i <= JOBS && err == CO4_OK; i++)
        err = co4_typed_send(jobs, &i);
    co4_typed_close(jobs);
    return err;
}

static pausable int run_pool(job_box jobs, result_box results)
{
    int err = co4_scope_run(0, pool(jobs, results));
    co4_typed_close(results); /* every worker has ended */
    return err;
}

int main(void)
{
    job_box jobs = co4_typed_create(job_box, 2);
    result_box results = co4_typed_create(result_box, 2);
    struct result r, all[JOBS + 1] = { 0 };
    int err = 1;
    co4_runtime *rt = co4_runtime_create(NULL);
    if (rt == NULL || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_task *t = co4_runtime_spawn(rt, run_pool(jobs, results));
    if (t == NULL)
        return 1;
    while (co4_block(co4_typed_receive(results, &r)) == CO4_OK)
        all[r.job] = r;
    int code = co4_block(co4_join(t, &err));
    for (int i = 1; i <= JOBS; i++)
        if (all[i].error)
            printf("job %d: error %d after %d attempts\n", i, all[i].error, all[i].attempts);
        else
            printf("job %d: %d after %d attempts\n", i, all[i].value, all[i].attempts);
    printf("pool: %s %s\n", co4_errname(code), co4_errname(err));
    co4_typed_destroy(jobs);
    co4_typed_destroy(results);
    return co4_runtime_destroy(rt) != CO4_OK;
}
