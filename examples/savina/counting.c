/* counting.c - a task counts what another sends it, and is asked for the sum.
 *
 *     counting [N]      1000000 when absent */
#include "savina.h"

struct message {
    long add;
    co4_future *asked; /* NULL: no task asks */
};

struct world {
    long n, told;
    co4_mailbox *to_counter;
    co4_future *answer;
};

static pausable int counter(co4_mailbox *in)
{
    struct message m;
    for (long sum = 0; co4_mailbox_receive(in, &m) == CO4_OK; sum += m.add)
        if (m.asked)
            TRY(co4_future_complete(m.asked, &sum));
    return CO4_OK;
}

static pausable int producer(struct world *w)
{
    TRY(co4_scope_spawn(co4_scope_here(), counter(w->to_counter)));
    for (long i = 1; i <= w->n; i++)
        TRY(co4_mailbox_send(w->to_counter, &(struct message){ i, NULL }));
    TRY(co4_mailbox_send(w->to_counter, &(struct message){ 0, w->answer }));
    TRY(co4_future_await(w->answer, &w->told));
    return co4_mailbox_close(w->to_counter);
}

static pausable int all(struct world *w)
{
    return co4_scope_run(0, producer(w));
}

int main(int argc, char **argv)
{
    struct world w = { argument(argc, argv, 1, 1000000, 0, 100000000), -1,
                       made(co4_mailbox_create(sizeof(struct message), 300)),
                       made(co4_future_create(sizeof(long))) };
    ON_ALL_PROCESSORS(all(&w));
    co4_future_release(w.answer);
    co4_mailbox_destroy(w.to_counter);
    printf("the sum to %ld is %ld\n", w.n, w.told);
    return w.told != w.n * (w.n + 1) / 2;
}
