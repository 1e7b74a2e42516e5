/* kept_addresses - a callee keeps the address of a local and returns; others write through it while
 * the owner is paused.
 * modes: woven forced
 * expect: 1 2 3 | 40 50 | 6
 * expect: 7 seen 7 */
#include <co4.h>
#include <stdio.h>

static int *registered[4];
static int nregistered;

static void sign_up(int *where)
{
    registered[nregistered++] = where;
}

static pausable int sign_up_later(int *where)
{
    co4_yield();
    sign_up(where);
    return 0;
}

static pausable void deliver(int value, co4_mailbox *done)
{
    for (int i = 0; i < nregistered; i++) {
        co4_yield();
        *registered[i] = value * (i + 1);
    }
    nregistered = 0;
    co4_mailbox_send(done, &value);
}

struct pair {
    int a, b;
};

static pausable int wait_for_all(co4_mailbox *done, int parameter)
{
    int one = 0, value;
    struct pair pair = { 0, 0 };
    sign_up(&one);
    sign_up_later(&pair.a);
    sign_up(&parameter);
    co4_spawn(deliver(1, done));
    co4_mailbox_receive(done, &value);
    printf("%d %d %d | ", one, pair.a, parameter);
    {
        int inner[2] = { 0 };
        for (int i = 0; i < 2; i++)
            sign_up_later(inner + i);
        co4_spawn(deliver(40, done));
        co4_mailbox_receive(done, &value);
        inner[1] -= 30;
        printf("%d %d | ", inner[0], inner[1]);
    }
    return one + pair.a + parameter;
}

/* Both ends at work: each sees the values that the other writes while it is paused. */
static pausable void watch(const int *what, co4_mailbox *done)
{
    while (*what != 7)
        co4_yield();
    co4_mailbox_send(done, what);
}

static pausable void work(void)
{
    co4_mailbox *done = co4_mailbox_create(sizeof(int), 2);
    printf("%d\n", wait_for_all(done, 0));
    int counter = 0, seen = 0;
    co4_spawn(watch(&counter, done));
    while (counter < 7) {
        counter++;
        co4_yield();
    }
    co4_mailbox_receive(done, &seen);
    printf("%d seen %d\n", counter, seen);
    co4_mailbox_destroy(done);
}

int main(void)
{
    co4_run(work());
    return 0;
}
