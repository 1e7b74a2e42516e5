/* producer_consumer - four tasks and two mailboxes of one place: every message arrives once and
 * in order.
 * modes: woven forced
 * expect: a: 0 1 2 3 4 5 6 7 8 9
 * expect: b: 0 1 2 3 4 5 6 7 8 9
 * expect: sum 90 of 20 */
#include <co4.h>
#include <stdio.h>

struct message {
    char from;
    int n;
};

static pausable void produce(char name, co4_mailbox *out)
{
    for (struct message m = { name, 0 }; m.n < 10; m.n++)
        if (co4_mailbox_send(out, &m) != CO4_OK)
            return;
}

static pausable void forward(co4_mailbox *in, co4_mailbox *out, int count)
{
    struct message m;
    while (count-- > 0 && co4_mailbox_receive(in, &m) == CO4_OK)
        co4_mailbox_send(out, &m);
}

static pausable void work(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(struct message), 1);
    co4_mailbox *out = co4_mailbox_create(sizeof(struct message), 1);
    int seen[2][10], count[2] = { 0 }, sum = 0;
    co4_spawn(produce('a', in));
    co4_spawn(forward(in, out, 20));
    co4_spawn(produce('b', in));
    for (int i = 0; i < 20; i++) {
        struct message m;
        co4_mailbox_receive(out, &m);
        seen[m.from - 'a'][count[m.from - 'a']++] = m.n;
        sum += m.n;
    }
    for (int i = 0; i < 2; i++) {
        printf("%c:", 'a' + i);
        for (int k = 0; k < count[i]; k++)
            printf(" %d", seen[i][k]);
        putchar('\n');
    }
    printf("sum %d of %d\n", sum, count[0] + count[1]);
    co4_mailbox_destroy(in);
    co4_mailbox_destroy(out);
}

int main(void)
{
    co4_run(work());
    return 0;
}
