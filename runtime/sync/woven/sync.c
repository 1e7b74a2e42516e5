/* sync.c - locks whose waits go on after the wake. */
#include "sync/sync.h"

#include "sync/source.h"

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

pausable int co4_cond_wait(co4_cond *cond, co4_mutex *mutex)
{
    return co4_cond_wait_until(cond, mutex, CO4_NEVER);
}
