/* pingpong.c - two tasks send each other a message, N times.
 *
 *     pingpong [N]      100000 when absent */
#include "savina.h"

static atomic_long pings, pongs;

static pausable void pong(co4_mailbox *in, co4_mailbox *out)
{
    long n;
    while (co4_mailbox_get(in, &n) == CO4_OK) {
        pings++;
        co4_mailbox_put(out, &n);
    }
}

static pausable void ping(long rounds)
{
    co4_mailbox *there = made(co4_mailbox_create(sizeof(long), 1)),
                *back = made(co4_mailbox_create(sizeof(long), 1));
    co4_task *other = made(co4_task_create(pong(there, back)));
    must(co4_runtime_schedule(NULL, other), "schedule");
    for (long n = 0, answer; n < rounds; n++) {
        co4_mailbox_put(there, &n);
        co4_mailbox_get(back, &answer);
        pongs += answer == n;
    }
    co4_mailbox_close(there);
    co4_task_join(other);
    co4_task_release(other);
    co4_mailbox_destroy(there);
    co4_mailbox_destroy(back);
}

int main(int argc, char **argv)
{
    long rounds = argument(argc, argv, 1, 100000, 0, 100000000);
    ON_ALL_PROCESSORS(ping(rounds));
    printf("%ld pings, %ld pongs\n", pings, pongs);
    return pings != rounds || pongs != rounds;
}
