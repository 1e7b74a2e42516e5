/* cancel_races - messages, deadlines and cancellations meet on several workers: the first of them
 * ends the wait, and no message is lost or doubled. A put that was cancelled has not been made, a
 * get that was cancelled has taken nothing.
 * needs: posix
 * modes: woven forced
 * expect: every message that was put was got once, in the order of its producer */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { PRODUCERS = 4, CONSUMERS = 6, EACH = 2000 };

struct message {
    int from, n;
};

struct counts {
    int put, got, told;
};

static co4_mailbox *box;
static struct counts producers[PRODUCERS], consumers[CONSUMERS];
static atomic_int last[CONSUMERS][PRODUCERS], disorder, left = PRODUCERS;
static atomic_long sum;

static pausable void produce(int from)
{
    for (struct message m = { from, 1 }; m.n <= EACH;) {
        int err = m.n % 3 ? co4_mailbox_send(box, &m)
                          : co4_mailbox_send_until(box, &m, co4_now() + 20 * CO4_US);
        if (err == CO4_OK) {
            producers[from].put++;
            atomic_fetch_add(&sum, m.n);
            m.n++;
        } else if (err == CO4_ECANCELED) {
            break;
        }
    }
    if (atomic_fetch_sub(&left, 1) == 1)
        co4_mailbox_close(box);
}

static pausable void consume(int self)
{
    for (;;) {
        struct message m;
        int err = self % 2 ? co4_mailbox_receive(box, &m)
                           : co4_mailbox_receive_until(box, &m, co4_now() + 50 * CO4_US);
        if (err == CO4_OK) {
            consumers[self].got++;
            atomic_fetch_sub(&sum, m.n);
            if (atomic_exchange(&last[self][m.from], m.n) >= m.n)
                atomic_store(&disorder, 1);
        } else if (err != CO4_ETIMEDOUT) {
            consumers[self].told = err;
            return;
        }
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
    int put = 0, got = 0;
    struct message m;
    co4_task *task[PRODUCERS + CONSUMERS];
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    box = co4_mailbox_create(sizeof m, 2);
    for (int i = 0; i < CONSUMERS; i++)
        co4_runtime_schedule(rt, task[i] = co4_task_create(consume(i)));
    for (int i = 0; i < PRODUCERS; i++)
        co4_runtime_schedule(rt, task[CONSUMERS + i] = co4_task_create(produce(i)));
    co4_runtime_start(rt);
    /* Two of the producers and half of the consumers, in the middle of it. */
    while (atomic_load(&last[0][0]) < EACH / 4 && atomic_load(&last[1][0]) < EACH / 4 &&
           co4_task_state_of(task[CONSUMERS]) != CO4_TASK_STOPPED)
        drive(rt);
    for (int i = 0; i < CONSUMERS / 2; i++)
        co4_task_cancel(task[i], 0);
    co4_task_cancel(task[CONSUMERS], 0);
    co4_task_cancel(task[CONSUMERS + 1], 0);
    co4_runtime_join(rt);
    while (co4_mailbox_receive_until(box, &m, CO4_NOW) == CO4_OK) {
        got++;
        atomic_fetch_sub(&sum, m.n);
    }
    for (int i = 0; i < PRODUCERS; i++)
        put += producers[i].put;
    for (int i = 0; i < CONSUMERS; i++)
        got += consumers[i].got;
    if (put == got && atomic_load(&sum) == 0 && !atomic_load(&disorder))
        puts("every message that was put was got once, in the order of its producer");
    else
        printf("put %d, got %d, sum %ld, disorder %d\n", put, got, atomic_load(&sum),
               atomic_load(&disorder));
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        co4_task_release(task[i]);
    co4_mailbox_destroy(box);
    co4_runtime_destroy(rt);
    return 0;
}
