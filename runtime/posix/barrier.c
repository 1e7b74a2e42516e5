/* barrier.c - barriers of POSIX at which tasks and threads wait: the end of a wait. barriers.c has
 * the rules. */
#define _GNU_SOURCE
#include "posix/barriers.h"

#include "base/alloc.h"

/* The caller gives the guard back. The last one that needs the barrier frees it. */
void co4__barrier_let_go(struct co4__barrier *b)
{
    bool last = b->destroyed && b->leaving == 0;
    pthread_mutex_unlock(&b->guard);
    if (!last)
        return;
    pthread_mutex_destroy(&b->guard);
    pthread_cond_destroy(&b->full);
    co4__free(b);
}

void co4__barrier_leave(struct co4__barrier *b)
{
    b->leaving--;
    co4__barrier_let_go(b);
}
