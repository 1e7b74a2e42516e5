/* barriers.h - barriers of POSIX at which tasks and threads wait. */
#ifndef CO4_POSIX_BARRIERS_H
#define CO4_POSIX_BARRIERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The C library's barrier says nothing to other waiters. So one of a single process is this
 * instead, and the program's object has its address, with a mark. */
struct co4__barrier {
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t full;
    unsigned count, there; /* how many a round needs, and has */
    unsigned long round;
    size_t leaving; /* of rounds that are over */
    bool destroyed; /* the last one that leaves frees it */
};

struct co4__barrier_place {
    struct co4__barrier *at;
    uintptr_t mark;
};
_Static_assert(sizeof(struct co4__barrier_place) <= sizeof(pthread_barrier_t), "it has room");
#define CO4__BARRIER_MARK ((uintptr_t)0x5bd1e995c04ba221u)

/* NULL: it is the C library's. */
static inline struct co4__barrier *co4__barrier_of(const pthread_barrier_t *barrier)
{
    struct co4__barrier_place place;
    memcpy(&place, barrier, sizeof place);
    return place.mark == ((uintptr_t)place.at ^ CO4__BARRIER_MARK) ? place.at : NULL;
}

/* The caller comes to the barrier, and has its guard then. True: it is the last one, and the next
 * round has begun. Otherwise it waits for that. */
static inline bool co4__barrier_enter(struct co4__barrier *b, unsigned long *round)
{
    pthread_mutex_lock(&b->guard);
    *round = b->round;
    if (++b->there < b->count)
        return false;
    b->there = 0;
    b->round++;
    b->leaving += b->count;
    pthread_cond_broadcast(&b->full);
    return true;
}

/* The caller leaves, and gives the guard back. */
void co4__barrier_leave(struct co4__barrier *b);
/* The caller gives the guard back. The last one that needs the barrier frees it. */
void co4__barrier_let_go(struct co4__barrier *b);

#endif
