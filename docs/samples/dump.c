/* dump.c - a program that hangs, and says where: a dump shows each task with the calls that led to
 * its wait.
 * modes: woven forced
 * needs: signals
 * expect: done */
#include <co4.h>
#include <signal.h>
#include <stdio.h>

static pausable int receive(co4_mailbox *in)
{
    int order;
    return co4_mailbox_receive(in, &order) == CO4_OK ? order : -1;
}

static pausable void clerk(co4_mailbox *in)
{
    co4_task_set_name(co4_self(), "clerk");
    while (receive(in) >= 0)
        co4_yield();
}

static pausable int open_shop(void)
{
    co4_mailbox *orders = co4_mailbox_create(sizeof(int), 4);
    co4_task *t = co4_task_create(clerk(orders));
    co4_runtime_schedule(NULL, t);
    int err = co4_task_join_until(t, co4_now() + 50 * CO4_MS);
    if (err == CO4_ETIMEDOUT) {
        co4_dump(NULL, co4_write_fd, (void *)2); /* where does it hang? */
        co4_mailbox_close(orders);
        err = co4_task_join(t);
    }
    co4_task_release(t);
    co4_mailbox_destroy(orders);
    return err;
}

int main(void)
{
    co4_watch(1);                                         /* numbers, and for how long */
    co4_dump_on_signal(SIGUSR1, co4_write_fd, (void *)2); /* kill -USR1: the same from outside */
    if (co4_run(open_shop()) == CO4_OK)
        puts("done");
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    return 0;
}
