/* select_races - tasks on several workers that each select between getting from one mailbox and
 * putting into another, both ways round, with deadlines, while some are cancelled: each message is
 * got once, and cases that were not chosen have not happened.
 * needs: posix
 * modes: woven forced
 * expect: what was put was got, once */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { TASKS = 8, EACH = 1500 };

static co4_mailbox *left, *right;
static atomic_long count, sum; /* of messages between a put and its get */
static atomic_int most;

static pausable void swap(int self)
{
    co4_mailbox *in = self % 2 ? left : right, *out = self % 2 ? right : left;
    for (int n = 1; n <= EACH; n++) {
        int got = 0;
        co4_sending putting;
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &got),
                             CO4_CASE(co4_mailbox_sending(&putting, out, &n), NULL) };
        int64_t deadline = self % 3 ? CO4_NEVER : co4_now() + 30 * CO4_US;
        int which = co4_select_until(cases, 2, 0, deadline);
        if (which == CO4_ECANCELED)
            return;
        if (which == 0) {
            atomic_fetch_sub(&count, 1);
            atomic_fetch_sub(&sum, got);
        } else if (which == 1) {
            atomic_fetch_add(&count, 1);
            atomic_fetch_add(&sum, n);
        }
        if (n > atomic_load(&most))
            atomic_store(&most, n);
    }
}

static void drain(void)
{
    int n;
    while (co4_mailbox_receive_until(left, &n, CO4_NOW) == CO4_OK ||
           co4_mailbox_receive_until(right, &n, CO4_NOW) == CO4_OK) {
        atomic_fetch_sub(&count, 1);
        atomic_fetch_sub(&sum, n);
    }
}

/* One step where no thread drives the runtime; else the threads get the processor. */
static void drive(co4_runtime *rt)
{
    if (co4_runtime_run_once(rt) == CO4_ESTATE)
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

int main(void)
{
    co4_task *task[TASKS];
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    left = co4_mailbox_create(sizeof(int), 1);
    right = co4_mailbox_create(sizeof(int), 2);
    for (int i = 0; i < TASKS; i++)
        co4_runtime_schedule(rt, task[i] = co4_task_create(swap(i)));
    co4_runtime_start(rt);
    while (atomic_load(&most) < EACH / 2)
        drive(rt);
    co4_task_cancel(task[1], 0);
    co4_task_cancel(task[2], 0);
    while (co4_runtime_tasks(rt) > 0) {
        drive(rt);
        drain(); /* the last tasks are all of one side */
    }
    drain();
    if (atomic_load(&count) == 0 && atomic_load(&sum) == 0)
        puts("what was put was got, once");
    else
        printf("%ld messages, sum %ld\n", atomic_load(&count), atomic_load(&sum));
    for (int i = 0; i < TASKS; i++)
        co4_task_release(task[i]);
    co4_mailbox_destroy(left);
    co4_mailbox_destroy(right);
    co4_runtime_destroy(rt);
    return 0;
}
