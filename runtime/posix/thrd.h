/* thrd.h - what C11 and POSIX call the same. */
#ifndef CO4_POSIX_THRD_H
#define CO4_POSIX_THRD_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <threads.h>

#include "base/compiler.h"

/* glibc and musl: each has the memory of the other, and their functions take both. */
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a lock of C11 is one of POSIX");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition of C11 is one of POSIX");

_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a flag of C11 is one of POSIX");

static inline pthread_once_t *co4__once_of(once_flag *once)
{
    return (pthread_once_t *)(void *)once;
}

static inline pthread_mutex_t *co4__mutex_of(mtx_t *mutex)
{
    return (pthread_mutex_t *)(void *)mutex;
}

static inline pthread_cond_t *co4__cond_of(cnd_t *cond)
{
    return (pthread_cond_t *)(void *)cond;
}

/* locks.c: a signal, or a broadcast; `place`: where the program's call returns to. */
CO4__OWN int co4__cond_wake(pthread_cond_t *cond, bool all, const void *place);

/* The code of C11 for an error number. */
static inline int co4__thrd_code(int err)
{
    return err == 0           ? thrd_success
           : err == EBUSY     ? thrd_busy
           : err == ETIMEDOUT ? thrd_timedout
           : err == ENOMEM    ? thrd_nomem
                              : thrd_error;
}

#endif
