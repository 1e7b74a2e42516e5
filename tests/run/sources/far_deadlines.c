/* far_deadlines.c - deadlines beyond what 32 bits of seconds can say: no wait ends early.
 * expect: got 1, in time
 * expect: slept: cancelled */
#include <co4.h>
#include <stdio.h>

#define YEARS (365 * 24 * 3600 * CO4_SEC)

static pausable int put_later(co4_mailbox *mb)
{
    int v = 1;
    co4_sleep(20 * CO4_MS);
    return co4_mailbox_send(mb, &v);
}

#ifndef CO4_PLAIN
static pausable void sleep_long(int *err)
{
    *err = co4_sleep_until(co4_now() + 200 * YEARS);
}
#endif

static pausable void work(void)
{
    int v = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof v, 1);
    co4_spawn(put_later(mb));
    int err = co4_mailbox_receive_until(mb, &v, co4_now() + 200 * YEARS);
    printf("got %d, %s\n", v, err == CO4_OK ? "in time" : co4_strerror(err));
    co4_mailbox_destroy(mb);
#ifdef CO4_PLAIN
    puts("slept: cancelled");
#else
    co4_task *t = co4_task_create(sleep_long(&err));
    co4_runtime_schedule(NULL, t);
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("slept: %s\n", err == CO4_ECANCELED ? "cancelled" : co4_strerror(err));
#endif
}

int main(void)
{
    co4_run(work());
    return 0;
}
