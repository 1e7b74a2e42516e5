/* readme.c - one task counts, another adds up.
 * modes: woven forced
 * expect: got 1, the sum is 1
 * expect: got 2, the sum is 3
 * expect: got 3, the sum is 6
 * expect: total: 6 */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

pausable void count(int_mailbox out, int n)
{
    for (int i = 1; i <= n; i++)
        co4_typed_send(out, &i); /* pauses while the mailbox is full */
    co4_typed_close(out);
}

pausable int total(int_mailbox numbers)
{
    int value, sum = 0;
    co4_scope_spawn(co4_scope_here(),
                    count(numbers, 3));                  /* a task: it ends before its scope does */
    while (co4_typed_receive(numbers, &value) == CO4_OK) /* pauses while it is empty */
        printf("got %d, the sum is %d\n", value, sum += value);
    return sum;
}

int main(void)
{
    int_mailbox numbers = co4_typed_create(int_mailbox, 1);
    printf("total: %d\n", co4_run(co4_scope_run(0, total(numbers))));
    return co4_typed_destroy(numbers);
}
