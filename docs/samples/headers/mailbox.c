/* mailbox.c - the capacities and the four forms of co4/mailbox.h.
 * modes: woven forced
 * expect: there is no room
 * expect: no error
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
    int value = 0, err = co4_mailbox_receive(in, &value);
    tell(err, value);
    err = co4_mailbox_receive_until(in, &value, CO4_NOW);
    tell(err, value);
    err = co4_mailbox_receive_until(in, &value, CO4_NOW);
    tell(err, value);
}

static pausable void wait_a_little(co4_mailbox *in);

static void capacities(void)
{
    enum { n = 2 };
    size_t size = sizeof(int);
    int value = 1;
    co4_mailbox *kinds[] = {
        co4_mailbox_create(size, n),
        co4_mailbox_create(size, 1),
        co4_mailbox_create(size, 0),
        co4_mailbox_create(size, CO4_UNBOUNDED),
    };
    puts(co4_strerror(co4_mailbox_send_until(kinds[2], &value, CO4_NOW)));
    puts(co4_strerror(co4_mailbox_send_until(kinds[3], &value, CO4_NOW)));
    for (int i = 0; i < 4; i++)
        co4_mailbox_destroy(kinds[i]);
}

int main(void)
{
    capacities();
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 8);
    int value = 1;
    for (; value <= 2; value++)
        if (co4_mailbox_send_until(in, &value, CO4_NOW) != CO4_OK)
            return 1;
    co4_run(work(in));
    if (co4_mailbox_send_until(in, &value, CO4_NOW) != CO4_OK)
        return 1;
    int err = co4_block(co4_mailbox_receive(in, &value));
    tell(err, value);
    co4_run(wait_a_little(in));
    return co4_mailbox_destroy(in);
}

static pausable void wait_a_little(co4_mailbox *in)
{
    int value = 0, err = co4_mailbox_receive_until(in, &value, co4_now() + CO4_MS);
    tell(err, value);
}
