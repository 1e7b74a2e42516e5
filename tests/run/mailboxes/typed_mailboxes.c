/* typed_mailboxes - handles that know the type of their messages, in all forms; also where the
 * message is the result of a pausable call.
 * modes: woven forced
 * expect: pausing: 1 2 3
 * expect: from calls: 4 5
 * expect: try: there is no room, 6, there is no message
 * expect: until: the deadline has passed 7, the deadline has passed
 * expect: threads: 11 12
 * expect: a case: 13
 * expect: an array: 1 2 3
 * expect: not made: none, CO4_EINVAL */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

struct job {
    int number;
    const char *name;
};

typedef CO4_MAILBOX_OF(struct job) job_mailbox;

static pausable void fills(job_mailbox jobs)
{
    for (int i = 1; i <= 3; i++)
        must(co4_typed_send(jobs, &(struct job){ i, "filled" }));
}

static pausable int numbered(int n)
{
    co4_yield();
    return n;
}

static struct job made;

static pausable struct job *make(int n)
{
    made = (struct job){ .number = numbered(n) };
    return &made;
}

static pausable void forms(job_mailbox jobs)
{
    struct job job = { 0 };
    co4_spawn(fills(jobs));
    printf("pausing:");
    for (int i = 0; i < 3; i++) {
        must(co4_typed_receive(jobs, &job));
        printf(" %d", job.number);
    }
    must(co4_typed_send(jobs, make(4)));
    must(co4_typed_receive(jobs, &job));
    printf("\nfrom calls: %d", job.number);
    must(co4_typed_send_until(jobs, (&(struct job){ numbered(5), "" }), co4_now() + CO4_SEC));
    must(co4_typed_receive_until(jobs, &job, CO4_NEVER));
    printf(" %d\n", job.number);
    job.number = 6;
    must(co4_typed_send_until(jobs, &job, CO4_NOW));
    int err = co4_typed_send_until(jobs, &job, CO4_NOW);
    must(co4_typed_receive_until(jobs, &job, CO4_NOW));
    printf("try: %s, %d, %s\n", co4_strerror(err), job.number,
           co4_strerror(co4_typed_receive_until(jobs, &job, CO4_NOW)));
    must(co4_typed_send(jobs, &(struct job){ .number = 7 }));
    err = co4_typed_send_until(jobs, &job, co4_now() + CO4_MS);
    must(co4_typed_receive(jobs, &job));
    printf("until: %s %d, %s\n", co4_strerror(err), job.number,
           co4_strerror(co4_typed_receive_until(jobs, &job, co4_now() + CO4_MS)));
}

static void threads(job_mailbox jobs)
{
    struct job job;
    printf("threads:");
    must(co4_block(co4_typed_send(jobs, &(struct job){ .number = 11 })));
    must(co4_block(co4_typed_receive(jobs, &job)));
    printf(" %d", job.number);
    must(co4_block(co4_typed_send_until(jobs, &(struct job){ .number = 12 }, CO4_NEVER)));
    must(co4_block(co4_typed_receive_until(jobs, &job, CO4_NEVER)));
    printf(" %d\n", job.number);
    must(co4_block(co4_typed_send(jobs, &(struct job){ .number = 13 })));
}

static pausable void cases(job_mailbox jobs)
{
    struct job job;
    co4_case one[] = { CO4_CASE_OF(jobs, &job) };
    if (co4_select(one, 1) == 0)
        printf("a case: %d\n", job.number);
}

typedef int triple[3];

static pausable void arrays(void)
{
    typedef CO4_MAILBOX_OF(triple) triple_mailbox;
    triple_mailbox triples = co4_typed_create(triple_mailbox, 1);
    triple in = { 1, 2, 3 }, out = { 0 };
    must(co4_typed_send(triples, &in));
    must(co4_typed_receive(triples, &out));
    printf("an array: %d %d %d\n", out[0], out[1], out[2]);
    must(co4_typed_close(triples));
    must(co4_typed_destroy(triples));
}

int main(void)
{
    job_mailbox jobs = co4_typed_create(job_mailbox, 1);
    co4_run(forms(jobs));
    threads(jobs);
    co4_run(cases(jobs));
    co4_run(arrays());
    must(co4_typed_destroy(jobs));
    struct job job = { 0, "" };
    jobs = co4_typed_create(job_mailbox, SIZE_MAX - 1);
    printf("not made: %s, %s\n", jobs.mailbox ? "one" : "none",
           co4_errname(co4_typed_send_until(jobs, &job, CO4_NOW)));
    return 0;
}
