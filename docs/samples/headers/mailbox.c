/* mailbox.c - the four forms of co4/mailbox.h.
 * modes: woven forced
 * expect: 1
 * expect: 2
 * expect: nothing there
 * expect: 3
 * expect: the deadline has passed */
#include <co4.h>
#include <stdio.h>

static void tell(int err, int value)
{
    if (err == CO4_OK)
        printf("%d\n", value);
    else
        puts(err == CO4_EEMPTY ? "nothing there" : co4_strerror(err));
}

static pausable void work(co4_mailbox *in)
{
    int value = 0, err = co4_mailbox_get(in, &value);
    tell(err, value);
    err = co4_mailbox_try_get(in, &value);
    tell(err, value);
    err = co4_mailbox_try_get(in, &value);
    tell(err, value);
}

static pausable void wait_a_little(co4_mailbox *in);

int main(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 8);
    int value = 1;
    for (; value <= 2; value++)
        if (co4_mailbox_try_put(in, &value) != CO4_OK)
            return 1;
    co4_run(work(in));
    if (co4_mailbox_try_put(in, &value) != CO4_OK)
        return 1;
    int err = co4_mailbox_get_block(in, &value);
    tell(err, value);
    co4_run(wait_a_little(in));
    return co4_mailbox_destroy(in);
}

static pausable void wait_a_little(co4_mailbox *in)
{
    int value = 0, err = co4_mailbox_get_until(in, &value, co4_now() + CO4_MS);
    tell(err, value);
}
