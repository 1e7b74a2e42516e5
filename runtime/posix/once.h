/* once.h - pthread_once() and call_once(), of functions that pause.
 *
 * Invariants: the word is that of the C library, whose calls and these see each other: 0 before the
 * function has begun, 2 when it has returned; bit 0 is set while it runs. glibc adds how many forks
 * lie between the first process and the one that runs it, as a child begins anew; musl sets bit 1
 * while a thread waits. */
#ifndef CO4_POSIX_ONCE_H
#define CO4_POSIX_ONCE_H

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/fork.h"
#include "platform/real.h"

enum { CO4__ONCE_FREE = 0, CO4__ONCE_RUNS = 1, CO4__ONCE_DONE = 2 };

static inline bool co4__once_is_done(const pthread_once_t *once)
{
    return __atomic_load_n(once, __ATOMIC_ACQUIRE) == CO4__ONCE_DONE;
}

/* Returns true if the caller has to run the function; otherwise it is done, or *runs. */
static inline bool co4__once_begin(pthread_once_t *once, bool *runs)
{
    int state = __atomic_load_n(once, __ATOMIC_ACQUIRE), ours = CO4__ONCE_RUNS;
#ifdef __GLIBC__
    ours |= (int)(co4__generation << 2);
#endif
    do {
        *runs = (state & CO4__ONCE_RUNS) != 0 && (state & ~CO4__ONCE_DONE) == ours;
        if (*runs || state == CO4__ONCE_DONE)
            return false;
    } while (!__atomic_compare_exchange_n(once, &state, ours, false, __ATOMIC_ACQUIRE,
                                          __ATOMIC_ACQUIRE));
    return true;
}

/* Wakes the threads that wait in the C library. */
static inline void co4__once_end(pthread_once_t *once, int state)
{
    __atomic_store_n(once, state, __ATOMIC_RELEASE);
    CO4__SYSTEM(syscall)(SYS_futex, once, FUTEX_WAKE_PRIVATE, INT_MAX);
}

#endif
