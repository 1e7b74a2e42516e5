/* boundedbuffer.c - producers and consumers at one buffer that holds fifty. Also Kilim's: its
 * mailboxes are bounded so that a producer waits for its consumers.
 *
 *     boundedbuffer [PRODUCERS [CONSUMERS [EACH]]]      40, 30 and 2500 when absent */
#include "savina.h"

struct world {
    long producers, consumers, each;
    co4_mailbox *buffer;
};

static atomic_long put, got, sum;

static pausable int producer(const struct world *w, long first)
{
    for (long i = first; i < first + w->each; i++) {
        TRY(co4_mailbox_send(w->buffer, &i));
        put++;
    }
    return CO4_OK;
}

static pausable int consumer(const struct world *w)
{
    for (long item; co4_mailbox_receive(w->buffer, &item) == CO4_OK; sum += item)
        got++;
    return CO4_OK;
}

static pausable int produce(const struct world *w)
{
    for (long i = 0; i < w->producers; i++)
        TRY(co4_scope_spawn(co4_scope_here(), producer(w, i * w->each)));
    return CO4_OK;
}

static pausable int live(struct world *w)
{
    for (long i = 0; i < w->consumers; i++)
        TRY(co4_scope_spawn(co4_scope_here(), consumer(w)));
    TRY(co4_scope_run(0, produce(w)));
    return co4_mailbox_close(w->buffer); /* the remaining items are still received */
}

static pausable int all(struct world *w)
{
    return co4_scope_run(0, live(w));
}

int main(int argc, char **argv)
{
    struct world w = { argument(argc, argv, 1, 40, 1, 10000), argument(argc, argv, 2, 30, 1, 10000),
                       argument(argc, argv, 3, 2500, 1, 10000000),
                       made(co4_mailbox_create(sizeof(long), 50)) };
    ON_ALL_PROCESSORS(all(&w));
    co4_mailbox_destroy(w.buffer);
    long n = w.producers * w.each;
    printf("%ld put, %ld got\n", put, got);
    return put != n || got != n || sum != n * (n - 1) / 2;
}
