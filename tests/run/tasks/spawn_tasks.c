/* spawn_tasks - several tasks that talk through mailboxes.
 * modes: woven forced
 * expect: 0 1 4 9 16
 * expect: 30 from 5 */
#include <co4.h>
#include <stdio.h>

static pausable void squares(int n, co4_mailbox *out)
{
    for (int i = 0; i < n; i++) {
        int square = i * i;
        co4_mailbox_send(out, &square);
    }
    co4_mailbox_close(out);
}

static pausable void copy(co4_mailbox *in, co4_mailbox *out)
{
    int n;
    while (co4_mailbox_receive(in, &n) == CO4_OK)
        co4_mailbox_send(out, &n);
    co4_mailbox_close(out);
}

static pausable void work(void)
{
    co4_mailbox *a = co4_mailbox_create(sizeof(int), 1), *b = co4_mailbox_create(sizeof(int), 2);
    int n, sum = 0, count = 0;
    co4_spawn(copy(a, b));
    co4_spawn(squares(5, a));
    for (; co4_mailbox_receive(b, &n) == CO4_OK; sum += n)
        printf(count++ < 4 ? "%d " : "%d\n", n);
    printf("%d from %d\n", sum, count);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

int main(void)
{
    co4_run(work());
    return 0;
}
