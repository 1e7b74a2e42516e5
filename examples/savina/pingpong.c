/* pingpong.c - two tasks send each other a message, N times.
 *
 *     pingpong [N]      100000 when absent */
#include "savina.h"

struct game {
    long rounds;
    co4_mailbox *there, *back;
};

static atomic_long pings, pongs;

static pausable int pong(const struct game *g)
{
    for (long n; co4_mailbox_receive(g->there, &n) == CO4_OK;) {
        pings++;
        TRY(co4_mailbox_send(g->back, &n));
    }
    return CO4_OK;
}

static pausable int ping(const struct game *g)
{
    TRY(co4_scope_spawn(co4_scope_here(), pong(g)));
    for (long n = 0, answer; n < g->rounds; n++) {
        TRY(co4_mailbox_send(g->there, &n));
        TRY(co4_mailbox_receive(g->back, &answer));
        pongs += answer == n;
    }
    return co4_mailbox_close(g->there);
}

static pausable int all(struct game *g)
{
    return co4_scope_run(0, ping(g));
}

int main(int argc, char **argv)
{
    struct game g = { argument(argc, argv, 1, 100000, 0, 100000000),
                      made(co4_mailbox_create(sizeof(long), 1)),
                      made(co4_mailbox_create(sizeof(long), 1)) };
    ON_ALL_PROCESSORS(all(&g));
    co4_mailbox_destroy(g.there);
    co4_mailbox_destroy(g.back);
    printf("%ld pings, %ld pongs\n", pings, pongs);
    return pings != g.rounds || pongs != g.rounds;
}
