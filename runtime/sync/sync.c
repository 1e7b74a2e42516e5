/* sync.c - locks and the like: a place and a number each.
 *
 * Hand-over, as in mailboxes: who gives something up looks for the first who waits, claims it
 * (wait.c) and gives it what it waits for under the lock. The woken one has it, and cannot find
 * that another was faster. So while a task waits, the thing is never free, and a newcomer has to
 * wait as well.
 *
 * The first who waits may be claimed already by its timer or a cancellation: it is passed over. A
 * writer that gives up waiting may have been all that held up the readers behind it. So the place
 * of a read-write lock is a gate: what takes a waiter away, a timer, a cancellation or the end of
 * its co4_run, lets in those behind it (co4__wait_queue_left).
 *
 * Rounds. A barrier, a wait group, a condition and once let all waiters go on at once. That is one
 * step under the lock: `round` is counted up. Each waiter has the number of its round, and those of
 * rounds before stand at the head of the list; they are claimed then, CO4__BATCH under one hold
 * of the lock, and none is woken before all are. Newcomers belong to the next round, and stay. A
 * waiter whose timer or cancellation claims it finds at the gate whether its round was over before:
 * if so, it goes on with CO4_OK. So the parties that go on are exactly those that the round has
 * counted. A thread that is claiming may have let the lock go: a wait that finds the round, or the
 * group, to be over waits until it has done with the object, for its task may free that then.
 * (tests/model/round.pml.)
 *
 * Each operation is one function over these structs; the public types are only their sizes. */
#include "sync/sync.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

_Static_assert(sizeof(struct co4__sync) <= sizeof(co4_mutex), "the public types have room");

static struct co4__sync *of(void *object)
{
    return object;
}

static bool is_clear(struct co4__sync *s)
{
    co4__lock_take(&s->wait_queue.lock);
    bool clear = co4__wait_queue_clear(&s->wait_queue);
    co4__lock_give(&s->wait_queue.lock);
    return clear;
}

/* Under the lock: the first waiter, off the list, with its result; NULL: there is none. */
static co4_task *first(struct co4__sync *s, int result)
{
    for (co4_task *t = s->wait_queue.waiters.head, *next; t; t = next) {
        next = t->next;
        if (co4__take(&s->wait_queue, t)) {
            t->fiber.result.i = result;
            return t;
        }
    }
    return NULL;
}

static uintptr_t round_of(co4_task *t)
{
    return (uintptr_t)co4__waiting(t)->buffer;
}

/* Those of rounds before this one, which others may be taking as well. Lets the lock go now and
 * then. */
static void take_before(struct co4__sync *s, uintptr_t round, int result, struct co4__list *woken)
{
    unsigned taken = 0;
    for (co4_task *t = s->wait_queue.waiters.head, *next; t && (intptr_t)(round_of(t) - round) < 0;
         t = next) {
        next = t->next;
        if (!co4__take(&s->wait_queue, t))
            continue;
        t->fiber.result.i = result;
        co4__list_push(woken, t);
        if (co4__wait_queue_may_yield(&s->wait_queue, &taken))
            next = s->wait_queue.waiters.head;
    }
}

static void take_all(struct co4__sync *s, int result, struct co4__list *woken)
{
    s->come = 0;
    take_before(s, ++s->round, result, woken);
}

static int wait_for_round(co4_fiber *co4, struct co4__sync *s, struct co4__timer *timer)
{
    s->wait_queue.gate = CO4__GATE_ROUNDS;
    return co4__wait(co4, &s->wait_queue, CO4__WAIT_WRITE, (void *)s->round, timer);
}

static void wake_all(struct co4__list *woken)
{
    for (co4_task *t = woken->head, *next; t; t = next) {
        next = t->next;
        co4__task_wake(t);
    }
}

/* Before the lock is taken: may the task wait here, and for how long? */
static int prepare(co4_fiber *co4, const void *object, int64_t deadline, struct co4__timer **timer)
{
    *timer = NULL;
    if (!object)
        return CO4_EINVAL;
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return CO4_ECANCELED;
    if (deadline != CO4_NEVER && !(*timer = co4__timer_create(co4__task_of(co4), deadline)))
        return CO4_ENOMEM;
    return CO4_OK;
}

/* The lock is held, and what was wanted is had. */
static int had(co4_fiber *co4, struct co4__sync *s, struct co4__timer *timer, int result)
{
    co4__lock_give(&s->wait_queue.lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    return co4__done(co4, result);
}

static int wait(co4_fiber *co4, struct co4__sync *s, struct co4__timer *timer)
{
    return co4__wait(co4, &s->wait_queue, CO4__WAIT_WRITE, NULL, timer);
}

/* ---- mutex ---- */

int co4_mutex_lock_until__co4(co4_fiber *co4, co4_mutex *mutex, int64_t deadline)
{
    struct co4__sync *m = of(mutex);
    struct co4__timer *timer;
    int err = prepare(co4, mutex, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&m->wait_queue.lock);
    if (!m->holder) {
        m->holder = co4__task_of(co4);
        return had(co4, m, timer, CO4_OK);
    }
    if (m->holder == co4__task_of(co4))
        return had(co4, m, timer, CO4_EDEADLK);
    return wait(co4, m, timer);
}

int co4_mutex_lock__co4(co4_fiber *co4, co4_mutex *mutex)
{
    return co4_mutex_lock_until__co4(co4, mutex, CO4_NEVER);
}

/* The task; outside tasks, and in plain builds, the thread: its address is only compared. */
static co4_task *caller(void)
{
    co4_task *t = co4__local()->current;
    return t ? t : (co4_task *)(void *)co4__local();
}

int co4_mutex_try_lock(co4_mutex *mutex)
{
    struct co4__sync *m = of(mutex);
    if (!mutex)
        return CO4_EINVAL;
    co4__lock_take(&m->wait_queue.lock);
    bool taken = m->holder == NULL;
    if (taken)
        m->holder = caller();
    co4__lock_give(&m->wait_queue.lock);
    return taken ? CO4_OK : CO4_EBUSY;
}

int co4_mutex_unlock(co4_mutex *mutex)
{
    struct co4__sync *m = of(mutex);
    if (!mutex)
        return CO4_EINVAL;
    co4__lock_take(&m->wait_queue.lock);
    bool held = m->holder == caller();
    co4_task *t = held ? first(m, CO4_OK) : NULL;
    if (held)
        m->holder = t;
    co4__lock_give(&m->wait_queue.lock);
    if (t)
        co4__task_wake(t);
    return held ? CO4_OK : CO4_ESTATE;
}

int co4_mutex_fini(co4_mutex *mutex)
{
    return !mutex ? CO4_OK : is_clear(of(mutex)) && !of(mutex)->holder ? CO4_OK : CO4_EBUSY;
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

/* Under the lock, which is let go now and then: those at the head of the list whom it admits.
 * Newcomers wait while there are such. */
static void admit_first(struct co4__sync *l, struct co4__list *woken)
{
    unsigned taken = 0;
    for (co4_task *t = l->wait_queue.waiters.head, *next; t; t = next) {
        next = t->next;
        unsigned what = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
        if (what == CO4__WAIT_NONE)
            continue; /* claimed elsewhere */
        if (!admits(l, what))
            return;
        if (!co4__take(&l->wait_queue, t))
            continue;
        admit(l, what);
        t->fiber.result.i = CO4_OK;
        co4__list_push(woken, t);
        if (co4__wait_queue_may_yield(&l->wait_queue, &taken))
            next = l->wait_queue.waiters.head;
    }
}

bool co4__sync_left(struct co4__wait_queue *wait_queue, co4_task *t, struct co4__list *woken)
{
    struct co4__sync *s = (struct co4__sync *)(void *)((char *)wait_queue -
                                                       offsetof(struct co4__sync, wait_queue));
    if (wait_queue->gate == CO4__GATE_RWLOCK) {
        admit_first(s, woken);
        return false;
    }
    bool over = round_of(t) != s->round;
    s->come -= !over;
    if (over) /* it may end the object now */
        co4__wait_queue_settle(wait_queue);
    return over;
}

/* Is there no waiter? A waiter that is claimed elsewhere no longer counts. */
static bool nobody_waits(const struct co4__sync *s)
{
    for (const co4_task *t = s->wait_queue.waiters.head; t; t = t->next)
        if (atomic_load_explicit(&((co4_task *)(uintptr_t)t)->wait, memory_order_relaxed) !=
            CO4__WAIT_NONE)
            return false;
    return true;
}

static int rwlock_wait(co4_fiber *co4, co4_rwlock *lock, bool write, int64_t deadline)
{
    struct co4__sync *l = of(lock);
    struct co4__timer *timer;
    unsigned what = write ? CO4__WAIT_WRITE : CO4__WAIT_READ;
    int err = prepare(co4, lock, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&l->wait_queue.lock);
    if (admits(l, what) && nobody_waits(l)) {
        admit(l, what);
        return had(co4, l, timer, CO4_OK);
    }
    l->wait_queue.gate = CO4__GATE_RWLOCK;
    return co4__wait(co4, &l->wait_queue, what, NULL, timer);
}

int co4_rwlock_read_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return rwlock_wait(co4, lock, false, deadline);
}

int co4_rwlock_write_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return rwlock_wait(co4, lock, true, deadline);
}

int co4_rwlock_read__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return rwlock_wait(co4, lock, false, CO4_NEVER);
}

int co4_rwlock_write__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return rwlock_wait(co4, lock, true, CO4_NEVER);
}

int co4__rwlock_try(co4_rwlock *lock, bool write)
{
    struct co4__sync *l = of(lock);
    unsigned what = write ? CO4__WAIT_WRITE : CO4__WAIT_READ;
    if (!lock)
        return CO4_EINVAL;
    co4__lock_take(&l->wait_queue.lock);
    bool admitted = admits(l, what) && nobody_waits(l);
    if (admitted)
        admit(l, what);
    co4__lock_give(&l->wait_queue.lock);
    return admitted ? CO4_OK : CO4_EBUSY;
}

int co4_rwlock_try_read(co4_rwlock *lock)
{
    return co4__rwlock_try(lock, false);
}

int co4_rwlock_try_write(co4_rwlock *lock)
{
    return co4__rwlock_try(lock, true);
}

int co4_rwlock_unlock(co4_rwlock *lock)
{
    struct co4__sync *l = of(lock);
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
    wake_all(&woken);
    return held ? CO4_OK : CO4_ESTATE;
}

int co4_rwlock_fini(co4_rwlock *lock)
{
    return !lock ? CO4_OK : is_clear(of(lock)) && of(lock)->n == 0 ? CO4_OK : CO4_EBUSY;
}

/* ---- semaphore: n permits ---- */

int co4_sem_acquire_until__co4(co4_fiber *co4, co4_sem *sem, int64_t deadline)
{
    struct co4__sync *s = of(sem);
    struct co4__timer *timer;
    int err = prepare(co4, sem, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&s->wait_queue.lock);
    if (s->n > 0) {
        s->n--;
        return had(co4, s, timer, CO4_OK);
    }
    return wait(co4, s, timer);
}

int co4_sem_acquire__co4(co4_fiber *co4, co4_sem *sem)
{
    return co4_sem_acquire_until__co4(co4, sem, CO4_NEVER);
}

int co4_sem_try_acquire(co4_sem *sem)
{
    struct co4__sync *s = of(sem);
    if (!sem)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    bool taken = s->n > 0;
    s->n -= taken;
    co4__lock_give(&s->wait_queue.lock);
    return taken ? CO4_OK : CO4_EBUSY;
}

int co4_sem_release(co4_sem *sem)
{
    struct co4__sync *s = of(sem);
    if (!sem)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    co4_task *t = first(s, CO4_OK);
    bool fits = t || s->n < LLONG_MAX;
    s->n += !t && fits;
    co4__lock_give(&s->wait_queue.lock);
    if (t)
        co4__task_wake(t);
    return fits ? CO4_OK : CO4_EFULL;
}

long long co4_sem_permits(co4_sem *sem)
{
    if (!sem)
        return 0;
    co4__lock_take(&of(sem)->wait_queue.lock);
    long long n = of(sem)->n;
    co4__lock_give(&of(sem)->wait_queue.lock);
    return n;
}

int co4_sem_fini(co4_sem *sem)
{
    return !sem || is_clear(of(sem)) ? CO4_OK : CO4_EBUSY;
}

/* ---- condition ---- */

/* Listed first, and only then the mutex is given up: who holds it next finds us. The task may be
 * woken before this returns, which the pause that follows makes good (task.c). */
int co4__cond_wait__co4(co4_fiber *co4, co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    struct co4__timer *timer;
    int err = prepare(co4, mutex ? cond : NULL, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&of(cond)->wait_queue.lock);
    err = wait_for_round(co4, of(cond), timer);
    if (err == CO4_OK)
        co4_mutex_unlock(mutex);
    return err;
}

bool co4__mutex_is_mine(co4_mutex *mutex)
{
    co4__lock_take(&of(mutex)->wait_queue.lock);
    bool mine = of(mutex)->holder == caller();
    co4__lock_give(&of(mutex)->wait_queue.lock);
    return mine;
}

int co4_cond_signal(co4_cond *cond)
{
    struct co4__sync *c = of(cond);
    struct co4__list woken = { NULL, NULL };
    uintptr_t round;
    if (!cond)
        return CO4_EINVAL;
    co4__lock_take(&c->wait_queue.lock);
    /* Those that a broadcast is about to wake are not meant: they go first. */
    do
        take_before(c, round = c->round, CO4_OK, &woken);
    while (round != c->round);
    co4_task *t = first(c, CO4_OK);
    if (t)
        co4__list_push(&woken, t);
    co4__lock_give(&c->wait_queue.lock);
    wake_all(&woken);
    return CO4_OK;
}

int co4_cond_broadcast(co4_cond *cond)
{
    struct co4__sync *c = of(cond);
    struct co4__list woken = { NULL, NULL };
    if (!cond)
        return CO4_EINVAL;
    co4__lock_take(&c->wait_queue.lock);
    take_all(c, CO4_OK, &woken);
    co4__lock_give(&c->wait_queue.lock);
    wake_all(&woken);
    return CO4_OK;
}

int co4_cond_fini(co4_cond *cond)
{
    return !cond || is_clear(of(cond)) ? CO4_OK : CO4_EBUSY;
}

/* ---- wait group: n to come ---- */

int co4_waitgroup_add(co4_waitgroup *group, long long n)
{
    struct co4__sync *g = of(group);
    struct co4__list woken = { NULL, NULL };
    if (!group)
        return CO4_EINVAL;
    co4__lock_take(&g->wait_queue.lock);
    bool fits = n < 0 ? g->n + n >= 0 : g->n <= INT64_MAX - n;
    if (fits) {
        g->n += n;
        if (g->n == 0)
            take_all(g, CO4_OK, &woken);
    }
    co4__lock_give(&g->wait_queue.lock);
    wake_all(&woken);
    return fits ? CO4_OK : CO4_EINVAL;
}

int co4_waitgroup_done(co4_waitgroup *group)
{
    return co4_waitgroup_add(group, -1);
}

int co4_waitgroup_wait_until__co4(co4_fiber *co4, co4_waitgroup *group, int64_t deadline)
{
    struct co4__sync *g = of(group);
    struct co4__timer *timer;
    int err = prepare(co4, group, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&g->wait_queue.lock);
    if (g->n > 0)
        return wait_for_round(co4, g, timer);
    co4__wait_queue_settle(&g->wait_queue); /* it may end the group now */
    return had(co4, g, timer, CO4_OK);
}

int co4_waitgroup_wait__co4(co4_fiber *co4, co4_waitgroup *group)
{
    return co4_waitgroup_wait_until__co4(co4, group, CO4_NEVER);
}

int co4_waitgroup_fini(co4_waitgroup *group)
{
    return !group || is_clear(of(group)) ? CO4_OK : CO4_EBUSY;
}

/* ---- barrier: n parties; who has come stands in the list ---- */

int co4_barrier_wait_until__co4(co4_fiber *co4, co4_barrier *barrier, int64_t deadline)
{
    struct co4__sync *b = of(barrier);
    struct co4__timer *timer;
    struct co4__list woken = { NULL, NULL };
    int err = prepare(co4, barrier && of(barrier)->n > 0 ? barrier : NULL, deadline, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&b->wait_queue.lock);
    /* One that gives up right now, and has not come to the gate, is still among them. */
    if (++b->come < b->n)
        return wait_for_round(co4, b, timer);
    take_all(b, CO4_OK, &woken);
    err = had(co4, b, timer, 1);
    wake_all(&woken);
    return err;
}

int co4_barrier_wait__co4(co4_fiber *co4, co4_barrier *barrier)
{
    return co4_barrier_wait_until__co4(co4, barrier, CO4_NEVER);
}

int co4_barrier_fini(co4_barrier *barrier)
{
    return !barrier || is_clear(of(barrier)) ? CO4_OK : CO4_EBUSY;
}

/* ---- once: n is one of these ---- */

enum { FRESH, RUNS, DONE };

int co4__once_enter__co4(co4_fiber *co4, co4_once *once)
{
    struct co4__sync *o = of(once);
    struct co4__timer *timer;
    int err = prepare(co4, once, CO4_NEVER, &timer);
    if (err != CO4_OK)
        return co4__done(co4, err);
    co4__lock_take(&o->wait_queue.lock);
    if (o->n == RUNS)
        return co4__wait(co4, &o->wait_queue, CO4__WAIT_WRITE, (void *)o->round, timer);
    bool mine = o->n == FRESH;
    if (mine)
        o->n = RUNS;
    return had(co4, o, timer, mine);
}

void co4_once_leave(co4_once_turn *turn)
{
    struct co4__sync *o = of(turn->once);
    struct co4__list woken = { NULL, NULL }; /* they try again: one runs it, if it has failed */
    if (!turn->once)
        return;
    co4__lock_take(&o->wait_queue.lock);
    o->n = turn->done ? DONE : FRESH;
    take_all(o, CO4_EBUSY, &woken);
    co4__lock_give(&o->wait_queue.lock);
    wake_all(&woken);
    turn->once = NULL;
}

int co4_once_done(co4_once_turn *turn, int code)
{
    turn->done = code >= 0;
    co4_once_leave(turn);
    return code < 0 ? code : CO4_OK;
}
