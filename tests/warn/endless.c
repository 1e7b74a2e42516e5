/* endless - loops that a cancelled task never leaves. */
#include <co4.h>
#include <stdlib.h>

extern int is_over(void);
pausable int step(void);

pausable void tick(co4_mailbox *out);
pausable void tick(co4_mailbox *out)
{
    int n = 0;
    for (;;) {
        n++;
        co4_sleep(CO4_SEC);
        /* warning: this loop never ends: when the task is cancelled, 'co4_sleep' returns at once */
        /* hint: look at its code: while (co4_sleep(...) == CO4_OK) */
        co4_mailbox_send(out, &n);
    }
}

pausable void yields(void);
pausable void yields(void)
{
    while (1)
        co4_yield(); /* warning: this loop never ends */
}

pausable void nested(void);
pausable void nested(void)
{
    do {
        for (int i = 0; i < 3; i++)
            if (i == 2)
                break;      /* of the inner loop */
        co4_sleep(CO4_SEC); /* warning: this loop never ends */
    } while (1);
}

pausable int fine(co4_mailbox *in);
pausable int fine(co4_mailbox *in)
{
    int n;
    for (;;) {
        if (co4_mailbox_receive(in, &n) != CO4_OK)
            break;
        co4_sleep(CO4_MS);
    }
    for (;;) {
        co4_sleep(CO4_MS);
        if (step() < 0) /* its code is that of what it calls */
            return 1;
    }
    for (;;) {
        if (is_over())
            exit(3);
        co4_sleep(CO4_MS);
    }
}

pausable void on_purpose(void);
pausable void on_purpose(void)
{
    for (;;)
        (void)co4_sleep(CO4_SEC); /* it says that the code does not matter */
}

pausable void with_a_flag(void);
pausable void with_a_flag(void)
{
    while (!is_over())
        co4_sleep(CO4_MS);
}
