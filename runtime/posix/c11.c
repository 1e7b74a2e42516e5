/* c11.c - locks of C11 in a program without marks.
 *
 * The link turns the calls of <threads.h> into those below, in all objects and archives. They are
 * those of POSIX, of which the C library's would not know: locks.c, self.c. Nothing else refers to
 * this file. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "posix/thrd.h"

int __wrap_mtx_lock(mtx_t *mutex);
int __wrap_mtx_trylock(mtx_t *mutex);
int __wrap_mtx_timedlock(mtx_t *mutex, const struct timespec *until);
int __wrap_mtx_unlock(mtx_t *mutex);
int __wrap_cnd_wait(cnd_t *cond, mtx_t *mutex);
int __wrap_cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until);
int __wrap_cnd_signal(cnd_t *cond);
int __wrap_cnd_broadcast(cnd_t *cond);
void __wrap_call_once(once_flag *once, void (*function)(void));
int __wrap_thrd_join(thrd_t thread, int *result);
int __wrap_thrd_detach(thrd_t thread);

/* The link turns these, too, into those of locks.c and self.c. */

int __wrap_mtx_lock(mtx_t *mutex)
{
    return co4__thrd_code(pthread_mutex_lock(co4__mutex_of(mutex)));
}

int __wrap_mtx_trylock(mtx_t *mutex)
{
    return co4__thrd_code(pthread_mutex_trylock(co4__mutex_of(mutex)));
}

int __wrap_mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return co4__thrd_code(pthread_mutex_timedlock(co4__mutex_of(mutex), until));
}

int __wrap_mtx_unlock(mtx_t *mutex)
{
    return co4__thrd_code(pthread_mutex_unlock(co4__mutex_of(mutex)));
}

int __wrap_cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return co4__thrd_code(pthread_cond_wait(co4__cond_of(cond), co4__mutex_of(mutex)));
}

int __wrap_cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return co4__thrd_code(pthread_cond_timedwait(co4__cond_of(cond), co4__mutex_of(mutex), until));
}

int __wrap_cnd_signal(cnd_t *cond)
{
    return co4__thrd_code(co4__cond_wake(co4__cond_of(cond), false, __builtin_return_address(0)));
}

int __wrap_cnd_broadcast(cnd_t *cond)
{
    return co4__thrd_code(co4__cond_wake(co4__cond_of(cond), true, __builtin_return_address(0)));
}

void __wrap_call_once(once_flag *once, void (*function)(void))
{
    pthread_once(co4__once_of(once), function);
}

int __wrap_thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    int err = pthread_join(thread, &value);
    if (err == 0 && result)
        *result = (int)(intptr_t)value;
    return co4__thrd_code(err);
}

int __wrap_thrd_detach(thrd_t thread)
{
    return co4__thrd_code(pthread_detach(thread));
}
