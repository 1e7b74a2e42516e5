/* barriers.c - barriers of POSIX, in a program without marks.
 *
 * Purpose: a task that waits at a barrier lets others go on. The link turns the calls into those
 * below, in all objects and archives; woven/locks.c has the one that pauses. Barriers that
 * processes share stay the C library's, and block. Nothing else refers to this file.
 *
 * Concurrency: each barrier has a guard, which is held for a few instructions. One may be destroyed
 * as soon as a round is over: the last one that leaves frees it. */
#define _GNU_SOURCE
#include "posix/barriers.h"

#include <errno.h>

#include "base/alloc.h"
#include "posix/wraps.h"

CO4__WRAPS(pthread_barrier_init,
           (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count));
CO4__WRAPS(pthread_barrier_destroy, (pthread_barrier_t * barrier));
CO4__WRAPS(pthread_barrier_wait, (pthread_barrier_t * barrier));

static void put(pthread_barrier_t *barrier, struct co4__barrier *b)
{
    struct co4__barrier_place place = { b, b ? (uintptr_t)b ^ CO4__BARRIER_MARK : 0 };
    memcpy(barrier, &place, sizeof place);
}

int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    int err = __real_pthread_barrier_init(barrier, attributes, count);
    if (attributes)
        pthread_barrierattr_getpshared(attributes, &shared);
    if (err != 0 || shared == PTHREAD_PROCESS_SHARED)
        return err;
    struct co4__barrier *b = co4__alloc(sizeof *b);
    if (!b)
        return ENOMEM;
    b->guard = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    b->full = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    b->count = count;
    __real_pthread_barrier_destroy(barrier);
    put(barrier, b);
    return 0;
}

int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct co4__barrier *b = co4__barrier_of(barrier);
    if (!b)
        return __real_pthread_barrier_destroy(barrier);
    pthread_mutex_lock(&b->guard);
    if (b->there > 0) {
        pthread_mutex_unlock(&b->guard);
        return EBUSY;
    }
    put(barrier, NULL);
    b->destroyed = true;
    co4__barrier_let_go(b);
    return 0;
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct co4__barrier *b = co4__barrier_of(barrier);
    unsigned long round;
    if (!b)
        return __real_pthread_barrier_wait(barrier);
    bool last = co4__barrier_enter(b, &round);
    while (!last && b->round == round)
        pthread_cond_wait(&b->full, &b->guard);
    co4__barrier_leave(b);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
