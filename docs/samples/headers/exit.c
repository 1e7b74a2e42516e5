/* exit.c - the lead example of co4/exit.h.
 * modes: woven forced
 * expect: all jobs have ended, 1 was given up */
#include <co4.h>
#include <stdio.h>

enum { n = 3 };
static struct job {
    int number, ended;
} job[n];
static int failed;

static pausable int work_on(struct job *j)
{
    return j->number == 1 ? co4_sleep(3600 * CO4_SEC) : co4_sleep(CO4_MS);
}

static void look_at(void *tag, int error)
{
    ((struct job *)tag)->ended = 1;
    failed += error != CO4_OK;
}

static pausable void work(void)
{
    co4_task *worker[n];
    co4_mailbox *ends = co4_mailbox_create(sizeof(co4_exit), 100);
    for (int i = 0; i < n; i++) {
        job[i].number = i;
        worker[i] = co4_task_create(work_on(&job[i]));
    }
    int err = CO4_OK;
    for (int i = 0; i < n && err == CO4_OK; i++)
        err = co4_task_notify_exit(worker[i], ends, &job[i]);
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    for (int i = 0; i < n; i++) {
        co4_runtime_schedule(NULL, worker[i]);
        if (i == 1)
            co4_task_cancel(worker[i], 1);
        co4_task_join(worker[i]);
        co4_task_release(worker[i]);
    }
    co4_mailbox_close(ends);
    co4_exit e;
    while (co4_mailbox_receive(ends, &e) == CO4_OK)
        look_at(e.tag, e.error);
    co4_mailbox_destroy(ends);
    printf("%s, %d was given up\n",
           job[0].ended && job[1].ended && job[2].ended ? "all jobs have ended" : "?", failed);
}

int main(void)
{
    co4_run(work());
    return 0;
}
