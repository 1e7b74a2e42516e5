/* simulated_clock.c - in test mode time passes only where something waits: for plain builds as
 * well.
 * expect: an hour, then a minute
 * expect: a timeout after a day: CO4_ETIMEDOUT
 * expect: the clock of others: goes on */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static pausable int naps(void)
{
    int64_t began = co4_now();
    co4_sleep(3600 * CO4_SEC);
    int64_t then = co4_now();
    co4_sleep_until(then + 60 * CO4_SEC);
    return then - began == 3600 * CO4_SEC && co4_now() - then == 60 * CO4_SEC;
}

static pausable int give_up(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive_until(mb, &n, co4_now() + 24 * 3600 * CO4_SEC);
}

int main(void)
{
    int64_t real = co4_now();
    if (co4_test_begin(&(co4_test_options){ .seed = 9, .start = 1 }) != CO4_OK)
        return 1;
    puts(co4_run(naps()) ? "an hour, then a minute" : "time is wrong");
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int64_t began = co4_now();
    int err = co4_run(give_up(mb));
    printf("a timeout after %s: %s\n", co4_now() - began == 24 * 3600 * CO4_SEC ? "a day" : "?",
           co4_errname(err));
    co4_mailbox_destroy(mb);
    co4_test_end(NULL);
    printf("the clock of others: %s\n",
           co4_now() >= real && co4_now() < real + 600 * CO4_SEC ? "goes on" : "is wrong");
    return 0;
}
