/* big.c - each of many tasks sends messages to random others, which answer; a sink gets a message
 * from each that is done.
 *
 *     big [TASKS [MESSAGES]]      120 tasks and 2000 messages each when absent */
#include "savina.h"

struct message {
    long from; /* ping: whose; pong: -1; -2: all are through */
};

struct world {
    long tasks, messages;
    co4_mailbox **inboxes; /* unbounded: a sender must not wait for another sender */
    co4_mailbox *sink;
};

static atomic_long pings, pongs;

static pausable int worker(const struct world *w, long me)
{
    unsigned seed = (unsigned)me + 1;
    struct message m;
    long sent = 0, open = 0;
    for (;;) {
        if (open == 0 && sent < w->messages) {
            long to = (long)(random_next(&seed) % (unsigned)w->tasks);
            TRY(co4_mailbox_send(w->inboxes[to], &(struct message){ me }));
            sent++;
            open++;
        }
        TRY(co4_mailbox_receive(w->inboxes[me], &m));
        if (m.from == -2)
            return CO4_OK;
        if (m.from >= 0) {
            pings++;
            TRY(co4_mailbox_send(w->inboxes[m.from], &(struct message){ -1 }));
            continue;
        }
        pongs++;
        if (--open == 0 && sent == w->messages)
            TRY(co4_mailbox_send(w->sink, &me));
    }
}

static pausable int live(const struct world *w)
{
    long through;
    for (long i = 0; i < w->tasks; i++)
        TRY(co4_scope_spawn(co4_scope_here(), worker(w, i)));
    for (long i = 0; i < w->tasks; i++)
        TRY(co4_mailbox_receive(w->sink, &through));
    for (long i = 0; i < w->tasks; i++)
        TRY(co4_mailbox_send(w->inboxes[i], &(struct message){ -2 }));
    return CO4_OK;
}

static pausable int all(struct world *w)
{
    return co4_scope_run(0, live(w));
}

int main(int argc, char **argv)
{
    struct world w = { argument(argc, argv, 1, 120, 1, 10000),
                       argument(argc, argv, 2, 2000, 1, 1000000), NULL,
                       made(co4_mailbox_create(sizeof(long), 300)) };
    w.inboxes = made(calloc((size_t)w.tasks, sizeof *w.inboxes));
    for (long i = 0; i < w.tasks; i++)
        w.inboxes[i] = made(co4_mailbox_create(sizeof(struct message), CO4_UNBOUNDED));
    ON_ALL_PROCESSORS(all(&w));
    for (long i = 0; i < w.tasks; i++)
        co4_mailbox_destroy(w.inboxes[i]);
    free(w.inboxes);
    co4_mailbox_destroy(w.sink);
    printf("%ld pings, %ld pongs\n", pings, pongs);
    return pings != w.tasks * w.messages || pongs != pings;
}
