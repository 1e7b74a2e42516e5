/* sim_memory.c - the memory of sockets and packets of the simulated network.
 *
 * That which processes share is cut into pieces of a power of two of bytes; those that are free are
 * in lists. */
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "io/network.h"

static struct co4__net_arena *arena; /* of this process; NULL: there is none */

void *co4__network_alloc(struct co4__network *n, size_t bytes)
{
    struct co4__net_piece *p;
    unsigned class = CO4__NET_SMALLEST;
    if (!n->common->arena)
        return co4__alloc(bytes);
    while (((size_t)1 << class) < bytes + sizeof *p)
        class ++;
    p = class < CO4__NET_CLASSES ? arena->free[class] : NULL;
    if (p) {
        arena->free[class] = p->next;
    } else {
        if (class >= CO4__NET_CLASSES || arena->end - arena->next < (ptrdiff_t)1 << class)
            return NULL;
        p = (struct co4__net_piece *)(void *)arena->next;
        arena->next += (size_t)1 << class;
        p->class = class;
    }
    return memset(p + 1, 0, bytes);
}

void co4__network_free(void *memory)
{
    if (!memory || !arena) {
        co4__free(memory);
        return;
    }
    struct co4__net_piece *p = (struct co4__net_piece *)memory - 1;
    p->next = arena->free[p->class];
    arena->free[p->class] = p;
}

void co4__network_memory_is(struct co4__net_arena *shared)
{
    arena = shared;
}
