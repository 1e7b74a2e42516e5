/* typed.c - the example of co4/typed.h.
 * modes: woven forced
 * expect: job 1: no error */
#include <co4.h>
#include <stdio.h>

struct job {
    int number;
};

typedef CO4_MAILBOX_OF(struct job) job_mailbox;

static pausable int work(job_mailbox jobs)
{
    struct job job = { 0 };
    int err;
    err = co4_typed_send(jobs, &(struct job){ .number = 1 });
    if (err == CO4_OK)
        err = co4_typed_receive(jobs, &job);
    printf("job %d: %s\n", job.number, co4_strerror(err));
    co4_typed_close(jobs);
    return err;
}

int main(void)
{
    job_mailbox jobs = co4_typed_create(job_mailbox, 100);
    int err = co4_run(work(jobs));
    co4_typed_destroy(jobs);
    return err != CO4_OK;
}
