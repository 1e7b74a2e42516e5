/* sync.c - a mutex, a read-write lock and a semaphore, and how a caller waits at such an object.
 *
 * An object is a wait queue and a number. Each kind has an attempt, which is made under the lock of
 * the wait queue. It succeeds, or the caller waits.
 *
 * Hand-over, as in mailboxes: a task that releases a lock claims the first waiter (wait.c), and
 * gives it the lock under the wait queue's lock. The woken task has it, and no faster task can take
 * it first. So while a task waits, the lock is never free, and a newcomer waits as well.
 *
 * Gate: the first waiter may be claimed already by its timer or a cancellation; the walk passes it.
 * A writer that stops waiting may be the only obstacle for the readers behind it. So the wait queue
 * of a read-write lock has a gate: the removal of a waiter by a timer, a cancellation or the end of
 * its co4_run admits those behind it (co4__wait_queue_left). */
#include "sync/sync.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/blocker.h"
#include "core/caller.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "platform/lock.h"

_Static_assert(sizeof(struct co4__sync) <= sizeof(co4_mutex), "the public types have room");

int co4__sync_destroy(void *object)
{
    struct co4__sync *s = object;
    if (!s)
        return CO4_OK;
    co4__lock_take(&s->wait_queue.lock);
    bool clear = co4__wait_queue_clear(&s->wait_queue);
    co4__lock_give(&s->wait_queue.lock);
    return clear ? CO4_OK : CO4_EBUSY;
}

int co4__sync_prepare(co4_fiber *co4, const void *object, int64_t deadline,
                      struct co4__timer **timer)
{
    *timer = NULL;
    if (!object)
        return CO4_EINVAL;
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return CO4_ECANCELED;
    if (deadline != CO4_NEVER && deadline != CO4_NOW &&
        !(*timer = co4__timer_create(co4__task_of(co4), deadline)))
        return CO4_ENOMEM;
    return CO4_OK;
}

int co4__sync_block(void *object, co4__attempt_fn *attempt, co4_mutex *unlocks, int64_t deadline)
{
    struct co4__sync *s = object;
    struct co4__attempt a = { .caller = co4__sync_caller(),
                              .never_waits = true,
                              .kind = CO4__WAIT_WRITE };
    if (!object)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    int result = co4__attempt_once(s, attempt, &a);
    co4__lock_give(&s->wait_queue.lock);
    co4__list_wake(&a.woken);
    if (result != CO4_EBUSY || deadline == CO4_NOW)
        return result;
    if (co4__in_task())
        return CO4_EDEADLK;
    struct co4__blocker b;
    if ((result = co4__blocker_init(&b)) != CO4_OK)
        return result;
    a.never_waits = false;
    a.woken = (struct co4__list){ NULL, NULL };
    co4__lock_take(&s->wait_queue.lock);
    result = co4__attempt_once(s, attempt, &a);
    if (result == CO4__WAITS) {
        co4__blocker_queue(&b, &s->wait_queue, a.kind, a.buffer);
        if (unlocks)
            co4_mutex_unlock(unlocks);
        result = co4__blocker_wait(&b, deadline, NULL);
    } else {
        co4__lock_give(&s->wait_queue.lock);
        co4__list_wake(&a.woken);
    }
    co4__blocker_fini(&b);
    return result;
}

/* ---- mutex ---- */

static int lock_mutex(struct co4__sync *m, struct co4__attempt *a)
{
    a->buffer = a->caller; /* the unlock gives it to this one */
    if (m->holder)
        return m->holder == a->caller && !a->never_waits ? CO4_EDEADLK : CO4__WAITS;
    m->holder = a->caller;
    return CO4_OK;
}

int co4_mutex_lock_until__co4(co4_fiber *co4, co4_mutex *mutex, int64_t deadline)
{
    return co4__sync_pause(co4, mutex, lock_mutex, NULL, deadline);
}

int co4_mutex_lock__co4(co4_fiber *co4, co4_mutex *mutex)
{
    return co4__sync_pause(co4, mutex, lock_mutex, NULL, CO4_NEVER);
}

int co4_mutex_lock_until(co4_mutex *mutex, int64_t deadline)
{
    return co4__sync_block(mutex, lock_mutex, NULL, deadline);
}

int co4_mutex_lock(co4_mutex *mutex)
{
    return co4__sync_block(mutex, lock_mutex, NULL, CO4_NEVER);
}

int co4_mutex_unlock(co4_mutex *mutex)
{
    struct co4__sync *m = co4__sync_of(mutex);
    if (!mutex)
        return CO4_EINVAL;
    co4__lock_take(&m->wait_queue.lock);
    bool held = m->holder == co4__sync_caller();
    struct co4__waiter *next = held ? co4__sync_take_one(m) : NULL;
    if (held)
        m->holder = next ? next->result.wait.buffer : NULL;
    if (next)
        next->result.i = CO4_OK;
    co4__lock_give(&m->wait_queue.lock);
    if (next)
        co4__wake(next);
    return held ? CO4_OK : CO4_ESTATE;
}

bool co4__mutex_is_mine(co4_mutex *mutex)
{
    co4__lock_take(&co4__sync_of(mutex)->wait_queue.lock);
    bool mine = co4__sync_of(mutex)->holder == co4__sync_caller();
    co4__lock_give(&co4__sync_of(mutex)->wait_queue.lock);
    return mine;
}

int co4_mutex_destroy(co4_mutex *mutex)
{
    int err = co4__sync_destroy(mutex);
    return err == CO4_OK && mutex && co4__sync_of(mutex)->holder ? CO4_EBUSY : err;
}

/* ---- read-write lock: n readers, or -1 ---- */

static bool admits(const struct co4__sync *l, unsigned what)
{
    return what == CO4__WAIT_READ ? l->n >= 0 : l->n == 0;
}

static void admit(struct co4__sync *l, unsigned what)
{
    l->n = what == CO4__WAIT_READ ? l->n + 1 : -1;
}

/* Called under the lock, which it yields now and then. Admits the waiters at the head of the queue
 * that may enter. Newcomers wait while there are such waiters. */
static void admit_first(struct co4__sync *l, struct co4__list *woken)
{
    unsigned taken = 0;
    for (struct co4__waiter *w = l->wait_queue.waiters.head, *next; w; w = next) {
        next = w->next;
        unsigned what = co4__waits_for(w);
        if (what == CO4__WAIT_NONE)
            continue; /* claimed elsewhere */
        if (!admits(l, what))
            return;
        if (!co4__take(&l->wait_queue, w))
            continue;
        admit(l, what);
        w->result.i = CO4_OK;
        co4__list_push(woken, w);
        if (co4__wait_queue_may_yield(&l->wait_queue, &taken))
            next = l->wait_queue.waiters.head;
    }
}

bool co4__rwlock_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                      struct co4__list *woken)
{
    (void)w;
    admit_first(co4__sync_of_queue(wait_queue), woken);
    return false;
}

/* Returns whether there is no waiter. A waiter that is claimed elsewhere does not count. */
static bool nobody_waits(const struct co4__sync *s)
{
    for (const struct co4__waiter *w = s->wait_queue.waiters.head; w; w = w->next)
        if (co4__waits_for(w) != CO4__WAIT_NONE)
            return false;
    return true;
}

static int lock_as(struct co4__sync *l, struct co4__attempt *a, unsigned what)
{
    a->kind = what;
    a->gate = CO4__GATE_RWLOCK;
    if (!admits(l, what) || !nobody_waits(l))
        return CO4__WAITS;
    admit(l, what);
    return CO4_OK;
}

static int lock_to_read(struct co4__sync *l, struct co4__attempt *a)
{
    return lock_as(l, a, CO4__WAIT_READ);
}

static int lock_to_write(struct co4__sync *l, struct co4__attempt *a)
{
    return lock_as(l, a, CO4__WAIT_WRITE);
}

int co4_rwlock_read_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return co4__sync_pause(co4, lock, lock_to_read, NULL, deadline);
}

int co4_rwlock_read__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return co4__sync_pause(co4, lock, lock_to_read, NULL, CO4_NEVER);
}

int co4_rwlock_read_until(co4_rwlock *lock, int64_t deadline)
{
    return co4__sync_block(lock, lock_to_read, NULL, deadline);
}

int co4_rwlock_read(co4_rwlock *lock)
{
    return co4__sync_block(lock, lock_to_read, NULL, CO4_NEVER);
}

int co4_rwlock_write_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return co4__sync_pause(co4, lock, lock_to_write, NULL, deadline);
}

int co4_rwlock_write__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return co4__sync_pause(co4, lock, lock_to_write, NULL, CO4_NEVER);
}

int co4_rwlock_write_until(co4_rwlock *lock, int64_t deadline)
{
    return co4__sync_block(lock, lock_to_write, NULL, deadline);
}

int co4_rwlock_write(co4_rwlock *lock)
{
    return co4__sync_block(lock, lock_to_write, NULL, CO4_NEVER);
}

int co4_rwlock_unlock(co4_rwlock *lock)
{
    struct co4__sync *l = co4__sync_of(lock);
    struct co4__list woken = { NULL, NULL };
    if (!lock)
        return CO4_EINVAL;
    co4__lock_take(&l->wait_queue.lock);
    bool held = l->n != 0;
    if (held) {
        l->n = l->n < 0 ? 0 : l->n - 1;
        admit_first(l, &woken);
    }
    co4__lock_give(&l->wait_queue.lock);
    co4__list_wake(&woken);
    return held ? CO4_OK : CO4_ESTATE;
}

int co4_rwlock_destroy(co4_rwlock *lock)
{
    int err = co4__sync_destroy(lock);
    return err == CO4_OK && lock && co4__sync_of(lock)->n != 0 ? CO4_EBUSY : err;
}

/* ---- semaphore: n permits ---- */

static int take_permit(struct co4__sync *s, struct co4__attempt *a)
{
    (void)a;
    if (s->n <= 0)
        return CO4__WAITS;
    s->n--;
    return CO4_OK;
}

int co4_sem_acquire_until__co4(co4_fiber *co4, co4_sem *sem, int64_t deadline)
{
    return co4__sync_pause(co4, sem, take_permit, NULL, deadline);
}

int co4_sem_acquire__co4(co4_fiber *co4, co4_sem *sem)
{
    return co4__sync_pause(co4, sem, take_permit, NULL, CO4_NEVER);
}

int co4_sem_acquire_until(co4_sem *sem, int64_t deadline)
{
    return co4__sync_block(sem, take_permit, NULL, deadline);
}

int co4_sem_acquire(co4_sem *sem)
{
    return co4__sync_block(sem, take_permit, NULL, CO4_NEVER);
}

int co4_sem_release(co4_sem *sem)
{
    struct co4__sync *s = co4__sync_of(sem);
    if (!sem)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    struct co4__waiter *w = co4__sync_take_one(s);
    if (w)
        w->result.i = CO4_OK;
    bool fits = w || s->n < LLONG_MAX;
    s->n += !w && fits;
    co4__lock_give(&s->wait_queue.lock);
    if (w)
        co4__wake(w);
    return fits ? CO4_OK : CO4_EFULL;
}

long long co4_sem_permits(co4_sem *sem)
{
    if (!sem)
        return 0;
    co4__lock_take(&co4__sync_of(sem)->wait_queue.lock);
    long long n = co4__sync_of(sem)->n;
    co4__lock_give(&co4__sync_of(sem)->wait_queue.lock);
    return n;
}

int co4_sem_destroy(co4_sem *sem)
{
    return co4__sync_destroy(sem);
}
