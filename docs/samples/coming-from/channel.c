/* channel.c - a producer, two workers and a consumer, by two channels.
 * modes: woven forced
 * expect: 30 */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) channel;

static pausable void work(channel in, channel out)
{
    int n;
    while (co4_typed_receive(in, &n) == CO4_OK) {
        n *= n;
        co4_typed_send(out, &n);
    }
}

static pausable int sum_of_squares(channel in, channel out)
{
    int sum = 0, n;
    co4_spawn(work(in, out));
    co4_spawn(work(in, out));
    for (int i = 1; i <= 4; i++)
        co4_typed_send(in, &i);
    co4_typed_close(in);
    for (int i = 1; i <= 4 && co4_typed_receive(out, &n) == CO4_OK; i++)
        sum += n;
    return sum;
}

int main(void)
{
    channel in = co4_typed_create(channel, 4), out = co4_typed_create(channel, 4);
    printf("%d\n", co4_run(sum_of_squares(in, out)));
    co4_typed_destroy(in);
    co4_typed_destroy(out);
}
