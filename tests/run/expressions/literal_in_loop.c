/* literal_in_loop - the address of a compound literal goes to a callee that pauses, in a loop that
 * an optimizer unrolls; and the compiler has nothing to say about it.
 * flags: -O2
 * expect: 10 9 8 7 6 5 4 3 2 1: 55 */
#include <co4.h>
#include <stdio.h>

struct message {
    long add;
    const char *text;
};

static pausable void print_all(co4_mailbox *in, long *sum)
{
    for (struct message m; co4_mailbox_receive(in, &m) == CO4_OK && m.add > 0; *sum += m.add)
        printf("%ld%s", m.add, m.text);
}

static pausable long produce(co4_mailbox *to, int n)
{
    long sum = 0;
    for (int i = n; i >= 0; i--)
        co4_mailbox_send(to, &(struct message){ i, i == 1 ? ": " : " " });
    print_all(to, &sum);
    return sum;
}

int main(void)
{
    co4_mailbox *to = co4_mailbox_create(sizeof(struct message), 20);
    printf("%ld\n", co4_run(produce(to, 10)));
    co4_mailbox_destroy(to);
    return 0;
}
