/* counting.c - a task counts what another sends it, and is asked for the sum.
 *
 *     counting [N]      1000000 when absent */
#include "savina.h"

struct message {
    long add;
    co4_future *asked; /* NULL: nobody asks */
};

static pausable void counter(co4_mailbox *in)
{
    struct message m;
    for (long sum = 0; co4_mailbox_get(in, &m) == CO4_OK; sum += m.add)
        if (m.asked)
            co4_future_complete(m.asked, &sum);
}

static pausable void producer(long n, long *told)
{
    co4_mailbox *to = made(co4_mailbox_create(sizeof(struct message), 300));
    co4_task *counting = made(co4_task_create(counter(to)));
    must(co4_runtime_schedule(NULL, counting), "schedule");
    for (long i = 1; i <= n; i++)
        co4_mailbox_put(to, &(struct message){ i, NULL });
    co4_future *answer = made(co4_future_create(sizeof(long)));
    co4_mailbox_put(to, &(struct message){ 0, answer });
    co4_future_await(answer, told);
    co4_future_release(answer);
    co4_mailbox_close(to);
    co4_task_join(counting);
    co4_task_release(counting);
    co4_mailbox_destroy(to);
}

int main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 1000000, 0, 100000000), told = -1;
    ON_ALL_PROCESSORS(producer(n, &told));
    printf("the sum to %ld is %ld\n", n, told);
    return told != n * (n + 1) / 2;
}
