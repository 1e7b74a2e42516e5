/* time - numbers that are no deadline, and durations without a unit. */
#include <co4.h>

#define LIMIT (2 * CO4_SEC)

pausable int work(co4_mailbox *mb, int64_t deadline);
pausable int work(co4_mailbox *mb, int64_t deadline)
{
    int n;
    co4_sleep(1);
    /* warning: 'co4_sleep' takes nanoseconds, and '1' of them is no time */
    /* hint: write 1 * CO4_MS or 1 * CO4_SEC */
    co4_sleep(0);
    co4_sleep(5000);
    co4_sleep(5 * CO4_MS);
    co4_sleep_until(LIMIT);
    /* warning: 'co4_sleep_until' takes a deadline, a time of the clock that co4_now() shows */
    int err = co4_mailbox_receive_until(mb, &n, 1000);
    /* warning: 'co4_mailbox_receive_until' takes a deadline */
    /* hint: write co4_after(1000), or CO4_NOW to try only */
    err += co4_mailbox_receive_until(mb, &n, deadline);
    err += co4_mailbox_receive_until(mb, &n, CO4_NEVER);
    err += co4_mailbox_receive_until(mb, &n, CO4_NOW);
    err += co4_mailbox_receive_until(mb, &n, 0); /* past */
    err += co4_mailbox_receive_until(mb, &n, co4_now() + 5);
    err += co4_mailbox_receive_until(mb, &n, co4_after(100));
    /* warning: 'co4_after' takes nanoseconds, and '100' of them is no time */
    err += co4_timeout(5, co4_sleep(CO4_SEC));
    /* warning: 'co4_after' takes nanoseconds, and '5' of them is no time */
    return err + co4_mailbox_receive_until(mb, &n, co4_after(LIMIT));
}

int main(void)
{
    return co4_run(co4_sleep(20));
    /* warning: 'co4_sleep' takes nanoseconds, and '20' of them is no time */
}
