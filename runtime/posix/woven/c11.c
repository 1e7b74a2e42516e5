/* c11.c - locks, sleeps and joins of C11, and what spins: pausable C, and once more plain.
 *
 * A lock of C11 is one of POSIX in both C libraries of Linux, so these calls are those of locks.c
 * and waits.c with other codes. Code that spins or yields expects others to go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "base/inside.h"
#include "posix/blocks.h"
#include "posix/thrd.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* ---- calls that spin or yield ---- */

/* Lets others go on: tasks, and after some turns in vain also threads. */
#ifdef CO4_PLAIN
#define LET_OTHERS_GO_ON(turns) co4__sched_yield()
#else
#define LET_OTHERS_GO_ON(turns) let_others_go_on(turns)

enum { TURNS = 64 };

/* A task that is cancelled goes on to wait, as a thread would. */
static pausable void let_others_go_on(unsigned turns)
{
    int was = errno, shielded = co4_shield_begin();
    if (turns % TURNS != TURNS - 1)
        co4_yield();
    else if (co4_sleep(100 * CO4_US) != CO4_OK)
        co4__sched_yield();
    if (shielded == CO4_OK)
        co4_shield_end();
    errno = was;
}
#endif

CO4__INSIDE pausable int co4_posix_pthread_spin_lock(pthread_spinlock_t *lock)
{
    int err;
    for (unsigned turns = 0; (err = pthread_spin_trylock(lock)) == EBUSY; turns++)
        LET_OTHERS_GO_ON(turns);
    return err;
}

CO4__INSIDE pausable int co4_posix_sched_yield(void)
{
    LET_OTHERS_GO_ON(0);
    return 0;
}

CO4__INSIDE pausable void co4_posix_thrd_yield(void)
{
    LET_OTHERS_GO_ON(0);
}

/* ---- sleeps and joins ---- */

CO4__INSIDE pausable int co4_posix_thrd_sleep(const struct timespec *time, struct timespec *rest)
{
    int was = errno, n = co4_posix_nanosleep(time, rest);
    n = n == 0 ? 0 : errno == EINTR ? -1 : -2;
    errno = was;
    return n;
}

CO4__INSIDE pausable int co4_posix_thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    int err = co4_posix_pthread_join(thread, &value);
    if (err == 0 && result)
        *result = (int)(intptr_t)value;
    return co4__thrd_code(err);
}

CO4__INSIDE pausable void co4_posix_call_once(once_flag *once, void (*function)(void))
{
    co4_posix_pthread_once(co4__once_of(once), function);
}

/* ---- locks ---- */

CO4__INSIDE pausable int co4_posix_mtx_lock(mtx_t *mutex)
{
    return co4__thrd_code(co4_posix_pthread_mutex_lock(co4__mutex_of(mutex)));
}

CO4__INSIDE pausable int co4_posix_mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return co4__thrd_code(co4_posix_pthread_mutex_timedlock(co4__mutex_of(mutex), until));
}

CO4__INSIDE pausable int co4_posix_cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return co4__thrd_code(co4_posix_pthread_cond_wait(co4__cond_of(cond), co4__mutex_of(mutex)));
}

CO4__INSIDE pausable int co4_posix_cnd_timedwait(cnd_t *cond, mtx_t *mutex,
                                                 const struct timespec *until)
{
    return co4__thrd_code(
        co4_posix_pthread_cond_timedwait(co4__cond_of(cond), co4__mutex_of(mutex), until));
}
