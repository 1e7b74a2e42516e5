/* sync.c - locks whose waits go on after the wake. */
#include "sync/sync.h"

#include "sync/source.h"

#ifdef CO4_PLAIN

/* Only one call runs at a time, so no other call can release the lock. */

static int must_not_wait(int err)
{
    return err == CO4_EBUSY ? CO4_EDEADLK : err;
}

int co4_mutex_lock(co4_mutex *mutex)
{
    return must_not_wait(co4_mutex_try_lock(mutex));
}

int co4_mutex_lock_until(co4_mutex *mutex, int64_t deadline)
{
    (void)deadline;
    return co4_mutex_lock(mutex);
}

int co4_rwlock_read(co4_rwlock *lock)
{
    return must_not_wait(co4_rwlock_try_read(lock));
}

int co4_rwlock_write(co4_rwlock *lock)
{
    return must_not_wait(co4_rwlock_try_write(lock));
}

int co4_rwlock_read_until(co4_rwlock *lock, int64_t deadline)
{
    (void)deadline;
    return must_not_wait(co4_rwlock_try_read(lock));
}

int co4_rwlock_write_until(co4_rwlock *lock, int64_t deadline)
{
    (void)deadline;
    return must_not_wait(co4_rwlock_try_write(lock));
}

int co4_sem_acquire(co4_sem *sem)
{
    return must_not_wait(co4_sem_try_acquire(sem));
}

int co4_sem_acquire_until(co4_sem *sem, int64_t deadline)
{
    (void)deadline;
    return co4_sem_acquire(sem);
}

int co4_cond_wait_until(co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    (void)deadline;
    return cond && mutex ? CO4_EDEADLK : CO4_EINVAL;
}

int co4_waitgroup_wait(co4_waitgroup *group)
{
    if (!group)
        return CO4_EINVAL;
    return ((struct co4__sync *)group)->n == 0 ? CO4_OK : CO4_EDEADLK;
}

int co4_waitgroup_wait_until(co4_waitgroup *group, int64_t deadline)
{
    (void)deadline;
    return co4_waitgroup_wait(group);
}

int co4_barrier_wait(co4_barrier *barrier)
{
    if (!barrier || ((struct co4__sync *)barrier)->n <= 0)
        return CO4_EINVAL;
    return ((struct co4__sync *)barrier)->n == 1 ? 1 : CO4_EDEADLK;
}

int co4_barrier_wait_until(co4_barrier *barrier, int64_t deadline)
{
    (void)deadline;
    return co4_barrier_wait(barrier);
}

int co4_once_enter(co4_once *once, co4_once_turn *turn)
{
    struct co4__sync *o = (struct co4__sync *)once;
    if (!once)
        return CO4_EINVAL;
    if (o->n == 2)
        return CO4_OK;
    turn->once = once;
    return 1;
}

#else

pausable int co4_cond_wait_until(co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    if (!cond || !mutex)
        return co4__spent(CO4_EINVAL);
    if (!co4__mutex_is_mine(mutex))
        return co4__spent(CO4_ESTATE);
    int err = co4__cond_wait(cond, mutex, deadline);
    if (!co4__mutex_is_mine(mutex)) { /* it was unlocked, so it has to be locked again */
        co4_shield_begin();
        int again = co4_mutex_lock(mutex);
        co4_shield_end();
        if (again != CO4_OK)
            return again;
    }
    return err;
}

pausable int co4_once_enter(co4_once *once, co4_once_turn *turn)
{
    if (!once)
        return co4__spent(CO4_EINVAL);
    int entered;
    do
        entered = co4__once_enter(once);
    while (entered == CO4_EBUSY);
    if (entered == 1)
        turn->once = once;
    return entered;
}

#endif

pausable int co4_cond_wait(co4_cond *cond, co4_mutex *mutex)
{
    return co4_cond_wait_until(cond, mutex, CO4_NEVER);
}
