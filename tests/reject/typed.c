/* typed - a message of another type than those of the mailbox: one line, at the call. */
#include <co4.h>

struct job {
    int number;
};
typedef CO4_MAILBOX_OF(struct job) job_mailbox;

static pausable int work(job_mailbox jobs)
{
    int number = 1;
    struct job job = { 1 };
    co4_typed_send(jobs, &job);
    co4_typed_send(jobs, &number); /* error: the mailbox has messages of another type */ /* hint: give it the address of a message of the type that CO4_MAILBOX_OF names */
    return co4_typed_receive_until(jobs, /* error: another type */ /* hint: of a message */
                                   &number, CO4_NOW);
}

static pausable int choose(job_mailbox jobs)
{
    long out;
    co4_case cases[] = { CO4_CASE_OF(jobs, &out) }; /* error: another type */ /* hint: CO4_MAILBOX_OF */
    return co4_select(cases, 1);
}

static int plain(job_mailbox jobs)
{
    double wrong = 1;
    return co4_typed_send_until(jobs, &wrong, CO4_NOW); /* error: another type */ /* hint: CO4_MAILBOX_OF */
}

int main(void)
{
    job_mailbox jobs = co4_typed_create(job_mailbox, 1);
    return co4_run(work(jobs)) + co4_run(choose(jobs)) + plain(jobs);
}
