/* aba.c - a stack without a lock: a list of nodes that threads take and put back by exchanges of
 * its top.
 *
 * The mistake: a thread that takes reads the top and the node below. Others take both, and put the
 * first one back: the top is what it was, and the exchange makes a node the top that is in use. The
 * right form counts the changes of the top. */
#include <stdatomic.h>

#include "sct.h"

enum { NODES = 3, THREADS = 2, NONE = 0xff };

static atomic_uint top; /* the node's number, and in the right form above it a count */
static atomic_uint below[NODES];
static atomic_int users[NODES];

static unsigned next_top(unsigned before, unsigned node)
{
    return RIGHT_FORM ? ((before >> 8) + 1) << 8 | node : node;
}

static unsigned take(void)
{
    unsigned before = atomic_load(&top), node;
    do {
        node = before & 0xff;
        if (node == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(&top, &before,
                                             next_top(before, atomic_load(&below[node]))));
    assert(atomic_fetch_add(&users[node], 1) == 0);
    return node;
}

static void put_back(unsigned node)
{
    unsigned before = atomic_load(&top);
    atomic_fetch_sub(&users[node], 1);
    do
        atomic_store(&below[node], before & 0xff);
    while (!atomic_compare_exchange_strong(&top, &before, next_top(before, node)));
}

/* Takes two, and puts them back in the order in which it took them, the first one last. */
static void *use(void *arg)
{
    unsigned first = take(), second = take();
    if (second != NONE && arg) {
        put_back(first);
        return arg;
    }
    if (second != NONE)
        put_back(second);
    if (first != NONE)
        put_back(first);
    return arg;
}

int main(void)
{
    for (unsigned i = 0; i < NODES; i++)
        atomic_store(&below[i], i + 1 < NODES ? i + 1 : NONE);
    together(THREADS, use);
    return 0;
}
