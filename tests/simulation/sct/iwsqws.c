/* iwsqws.c - a queue for work stealing whose head and tail are one word, changed by compare and
 * exchange.
 *
 * The mistake: the word has no count of its changes. The owner takes all, and pushes as many anew;
 * a thief that has read the word, and what is in its place, before that, finds the same word, and
 * takes an item of the first time. */
#include <stdatomic.h>

#include "sct.h"

enum { ITEMS = 2, TIMES = 2 };

struct range {
    unsigned head : 8, tail : 8, changes : 16;
};

union word {
    struct range range;
    unsigned all;
};

static atomic_uint state;
static atomic_int places[ITEMS], taken[ITEMS * TIMES];

/* Returns whether the word was still `before`. */
static int change(union word before, int head, int tail)
{
    union word after = before;
    after.range.head = (unsigned)head & 0xff;
    after.range.tail = (unsigned)tail & 0xff;
    after.range.changes = RIGHT_FORM ? (before.range.changes + 1u) & 0xffff : 0;
    return atomic_compare_exchange_strong(&state, &before.all, after.all);
}

static void steal(void)
{
    union word now = { .all = atomic_load(&state) };
    if (now.range.head == now.range.tail)
        return;
    int item = atomic_load(&places[now.range.head]);
    if (change(now, now.range.head + 1, now.range.tail))
        atomic_fetch_add(&taken[item], 1);
}

static int take(void)
{
    union word now = { .all = atomic_load(&state) };
    if (now.range.head == now.range.tail)
        return 0;
    int item = atomic_load(&places[now.range.tail - 1]);
    if (change(now, now.range.head, now.range.tail - 1))
        atomic_fetch_add(&taken[item], 1);
    return 1;
}

static void fill(int first)
{
    union word now = { .all = atomic_load(&state) };
    for (int i = 0; i < ITEMS; i++)
        atomic_store(&places[i], first + i);
    while (!change(now, 0, ITEMS))
        now.all = atomic_load(&state);
}

static void *own(void *arg)
{
    for (int time = 0; time < TIMES; time++) {
        fill(time * ITEMS);
        while (take())
            ;
    }
    return arg;
}

static void *rob(void *arg)
{
    steal();
    return arg;
}

int main(void)
{
    pthread_t owner, thief;
    begin_thread(&owner, own, 0);
    begin_thread(&thief, rob, 0);
    end_thread(owner);
    end_thread(thief);
    for (int i = 0; i < ITEMS * TIMES; i++)
        assert(atomic_load(&taken[i]) == 1);
    return 0;
}
