/* sync.c - locks and similar objects: a wait queue and a number each.
 *
 * Hand-over, as in mailboxes: a task that releases an object claims the first waiter (wait.c), and
 * gives it the object under the lock. The woken task has it, and no faster task can take it first.
 * So while a task waits, the object is never free, and a newcomer waits as well.
 *
 * Gates: the first waiter may be claimed already by its timer or a cancellation; the walk passes
 * it. A writer that stops waiting may be the only obstacle for the readers behind it. So the wait
 * queue of a read-write lock has a gate: the removal of a waiter by a timer, a cancellation or the
 * end of its co4_run admits those behind it (co4__wait_queue_left).
 *
 * Rounds: a barrier, a wait group, a condition and once let all waiters go on at once. That is one
 * step under the lock: it increments `round`. Each waiter has the number of its round, and waiters
 * of earlier rounds are at the head of the queue. A thread claims them, and yields the lock after
 * each CO4__BATCH; it wakes none before it has claimed all. Newcomers belong to the next round, and
 * stay. A waiter that its timer or cancellation claims finds at the gate whether its round was over
 * before: if so, it goes on with CO4_OK. So exactly the parties that the round has counted go on.
 *
 * A claiming thread may have yielded the lock. A wait that finds its round, or the group, to be
 * over waits until that thread has left the object, because its task may free it then. Model:
 * tests/model/round.pml. */
#include "sync/sync.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/blocker.h"
#include "core/caller.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

_Static_assert(sizeof(struct co4__sync) <= sizeof(co4_mutex), "the public types have room");

static struct co4__sync *sync_of(void *object)
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

/* Called under the lock. Returns the first waiter, removed from the queue and without a result.
 * NULL: there is none. */
static struct co4__waiter *take_one(struct co4__sync *s)
{
    for (struct co4__waiter *w = s->wait_queue.waiters.head, *next; w; w = next) {
        next = w->next;
        if (co4__take(&s->wait_queue, w))
            return w;
    }
    return NULL;
}

static uintptr_t round_of(const struct co4__waiter *w)
{
    return (uintptr_t)w->result.wait.buffer;
}

/* Takes the waiters of rounds before this one; other threads may do the same. Yields the lock now
 * and then. */
static void take_before(struct co4__sync *s, uintptr_t round, int result, struct co4__list *woken)
{
    unsigned taken = 0;
    for (struct co4__waiter *w = s->wait_queue.waiters.head, *next;
         w && (intptr_t)(round_of(w) - round) < 0; w = next) {
        next = w->next;
        if (!co4__take(&s->wait_queue, w))
            continue;
        w->result.i = result;
        co4__list_push(woken, w);
        if (co4__wait_queue_may_yield(&s->wait_queue, &taken))
            next = s->wait_queue.waiters.head;
    }
}

static void take_all(struct co4__sync *s, int result, struct co4__list *woken)
{
    s->come = 0;
    take_before(s, ++s->round, result, woken);
}

/* ---- a wait, of a task and of a thread ---- */

/* The result of an attempt under the lock that has to wait; all others are codes. */
enum { WAITS = INT_MIN };

/* An attempt, and how it waits. */
struct attempt {
    /* The task. Outside tasks an address of the thread, which is only compared. */
    void *caller;
    bool never_waits;
    unsigned kind;
    void *buffer;
    enum co4__gate gate;
    co4_mutex *unlocks;     /* a mutex to be unlocked once the caller is in the queue */
    struct co4__list woken; /* to be woken without the lock */
};

typedef int attempt_fn(struct co4__sync *s, struct attempt *a);

static void *caller(void)
{
    co4_task *t = co4__local()->current;
    return t ? (void *)t : (void *)co4__local();
}

/* Called under the lock: makes the attempt. If the caller has to wait here, sets the gate, which is
 * written before the first waiter comes, and once: a dump that holds a waiter reads it without the
 * lock. */
static CO4__ALWAYS_INLINE int try_once(struct co4__sync *s, attempt_fn *attempt, struct attempt *a)
{
    int result = attempt(s, a);
    if (result != WAITS)
        return result;
    if (a->never_waits)
        return CO4_EBUSY;
    if (s->wait_queue.gate != a->gate)
        s->wait_queue.gate = (uint8_t)a->gate;
    return WAITS;
}

/* Checks, before the lock is taken, whether the task may wait here, and creates its timer. */
static int prepare_pause(co4_fiber *co4, const void *object, int64_t deadline,
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

static CO4__ALWAYS_INLINE int pause_for(co4_fiber *co4, void *object, attempt_fn *attempt,
                                        co4_mutex *unlocks, int64_t deadline)
{
    struct co4__sync *s = object;
    struct attempt a = { .caller = co4__task_of(co4),
                         .never_waits = deadline == CO4_NOW,
                         .kind = CO4__WAIT_WRITE,
                         .unlocks = unlocks };
    struct co4__timer *timer;
    int result = prepare_pause(co4, object, deadline, &timer);
    if (result != CO4_OK)
        return co4__done(co4, result);
    co4__lock_take(&s->wait_queue.lock);
    result = try_once(s, attempt, &a);
    if (result == WAITS) {
        result = co4__wait(co4, &s->wait_queue, a.kind, a.buffer, timer);
        if (unlocks)
            co4_mutex_unlock(unlocks);
        return result;
    }
    co4__lock_give(&s->wait_queue.lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    co4__list_wake(&a.woken);
    return co4__done(co4, result);
}

/* The calling thread waits, unless it runs a task. */
static int block_for(void *object, attempt_fn *attempt, co4_mutex *unlocks, int64_t deadline)
{
    struct co4__sync *s = object;
    struct attempt a = {
        .caller = caller(), .never_waits = true, .kind = CO4__WAIT_WRITE, .unlocks = unlocks
    };
    if (!object)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    int result = try_once(s, attempt, &a);
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
    result = try_once(s, attempt, &a);
    if (result == WAITS) {
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

static int lock_mutex(struct co4__sync *m, struct attempt *a)
{
    a->buffer = a->caller; /* the unlock gives it to this one */
    if (m->holder)
        return m->holder == a->caller && !a->never_waits ? CO4_EDEADLK : WAITS;
    m->holder = a->caller;
    return CO4_OK;
}

int co4_mutex_lock_until__co4(co4_fiber *co4, co4_mutex *mutex, int64_t deadline)
{
    return pause_for(co4, mutex, lock_mutex, NULL, deadline);
}

int co4_mutex_lock__co4(co4_fiber *co4, co4_mutex *mutex)
{
    return pause_for(co4, mutex, lock_mutex, NULL, CO4_NEVER);
}

int co4_mutex_lock_until(co4_mutex *mutex, int64_t deadline)
{
    return block_for(mutex, lock_mutex, NULL, deadline);
}

int co4_mutex_lock(co4_mutex *mutex)
{
    return block_for(mutex, lock_mutex, NULL, CO4_NEVER);
}

int co4_mutex_unlock(co4_mutex *mutex)
{
    struct co4__sync *m = sync_of(mutex);
    if (!mutex)
        return CO4_EINVAL;
    co4__lock_take(&m->wait_queue.lock);
    bool held = m->holder == caller();
    struct co4__waiter *next = held ? take_one(m) : NULL;
    if (held)
        m->holder = next ? next->result.wait.buffer : NULL;
    if (next)
        next->result.i = CO4_OK;
    co4__lock_give(&m->wait_queue.lock);
    if (next)
        co4__wake(next);
    return held ? CO4_OK : CO4_ESTATE;
}

int co4_mutex_destroy(co4_mutex *mutex)
{
    return !mutex                                                ? CO4_OK
           : is_clear(sync_of(mutex)) && !sync_of(mutex)->holder ? CO4_OK
                                                                 : CO4_EBUSY;
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

bool co4__sync_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                    struct co4__list *woken)
{
    struct co4__sync *s = (struct co4__sync *)(void *)((char *)wait_queue -
                                                       offsetof(struct co4__sync, wait_queue));
    if (wait_queue->gate == CO4__GATE_RWLOCK) {
        admit_first(s, woken);
        return false;
    }
    bool over = round_of(w) != s->round;
    s->come -= !over;
    if (over) /* its task may free the object now */
        co4__wait_queue_settle(wait_queue);
    return over;
}

/* Returns whether there is no waiter. A waiter that is claimed elsewhere does not count. */
static bool nobody_waits(const struct co4__sync *s)
{
    for (const struct co4__waiter *w = s->wait_queue.waiters.head; w; w = w->next)
        if (co4__waits_for(w) != CO4__WAIT_NONE)
            return false;
    return true;
}

static int lock_as(struct co4__sync *l, struct attempt *a, unsigned what)
{
    a->kind = what;
    a->gate = CO4__GATE_RWLOCK;
    if (!admits(l, what) || !nobody_waits(l))
        return WAITS;
    admit(l, what);
    return CO4_OK;
}

static int lock_to_read(struct co4__sync *l, struct attempt *a)
{
    return lock_as(l, a, CO4__WAIT_READ);
}

static int lock_to_write(struct co4__sync *l, struct attempt *a)
{
    return lock_as(l, a, CO4__WAIT_WRITE);
}

int co4_rwlock_read_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return pause_for(co4, lock, lock_to_read, NULL, deadline);
}

int co4_rwlock_read__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return pause_for(co4, lock, lock_to_read, NULL, CO4_NEVER);
}

int co4_rwlock_read_until(co4_rwlock *lock, int64_t deadline)
{
    return block_for(lock, lock_to_read, NULL, deadline);
}

int co4_rwlock_read(co4_rwlock *lock)
{
    return block_for(lock, lock_to_read, NULL, CO4_NEVER);
}
int co4_rwlock_write_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline)
{
    return pause_for(co4, lock, lock_to_write, NULL, deadline);
}

int co4_rwlock_write__co4(co4_fiber *co4, co4_rwlock *lock)
{
    return pause_for(co4, lock, lock_to_write, NULL, CO4_NEVER);
}

int co4_rwlock_write_until(co4_rwlock *lock, int64_t deadline)
{
    return block_for(lock, lock_to_write, NULL, deadline);
}

int co4_rwlock_write(co4_rwlock *lock)
{
    return block_for(lock, lock_to_write, NULL, CO4_NEVER);
}

int co4_rwlock_unlock(co4_rwlock *lock)
{
    struct co4__sync *l = sync_of(lock);
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
    return !lock ? CO4_OK : is_clear(sync_of(lock)) && sync_of(lock)->n == 0 ? CO4_OK : CO4_EBUSY;
}

/* ---- semaphore: n permits ---- */

static int take_permit(struct co4__sync *s, struct attempt *a)
{
    (void)a;
    if (s->n <= 0)
        return WAITS;
    s->n--;
    return CO4_OK;
}

int co4_sem_acquire_until__co4(co4_fiber *co4, co4_sem *sem, int64_t deadline)
{
    return pause_for(co4, sem, take_permit, NULL, deadline);
}

int co4_sem_acquire__co4(co4_fiber *co4, co4_sem *sem)
{
    return pause_for(co4, sem, take_permit, NULL, CO4_NEVER);
}

int co4_sem_acquire_until(co4_sem *sem, int64_t deadline)
{
    return block_for(sem, take_permit, NULL, deadline);
}

int co4_sem_acquire(co4_sem *sem)
{
    return block_for(sem, take_permit, NULL, CO4_NEVER);
}

int co4_sem_release(co4_sem *sem)
{
    struct co4__sync *s = sync_of(sem);
    if (!sem)
        return CO4_EINVAL;
    co4__lock_take(&s->wait_queue.lock);
    struct co4__waiter *w = take_one(s);
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
    co4__lock_take(&sync_of(sem)->wait_queue.lock);
    long long n = sync_of(sem)->n;
    co4__lock_give(&sync_of(sem)->wait_queue.lock);
    return n;
}

int co4_sem_destroy(co4_sem *sem)
{
    return !sem || is_clear(sync_of(sem)) ? CO4_OK : CO4_EBUSY;
}

/* ---- condition ---- */

static int wait_for_round(struct co4__sync *s, struct attempt *a)
{
    a->gate = CO4__GATE_ROUNDS;
    a->buffer = (void *)s->round;
    return WAITS;
}

/* Both queue the caller first, and only then unlock the mutex: the next holder finds the caller. A
 * task may be woken before the function returns; the pause that follows handles that (task.c). */
int co4__cond_wait__co4(co4_fiber *co4, co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    return pause_for(co4, cond, wait_for_round, mutex, deadline);
}

int co4__cond_wait(co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    return block_for(cond, wait_for_round, mutex, deadline);
}

bool co4__mutex_is_mine(co4_mutex *mutex)
{
    co4__lock_take(&sync_of(mutex)->wait_queue.lock);
    bool mine = sync_of(mutex)->holder == caller();
    co4__lock_give(&sync_of(mutex)->wait_queue.lock);
    return mine;
}

int co4_cond_signal(co4_cond *cond)
{
    struct co4__sync *c = sync_of(cond);
    struct co4__list woken = { NULL, NULL };
    uintptr_t round;
    if (!cond)
        return CO4_EINVAL;
    co4__lock_take(&c->wait_queue.lock);
    /* A signal does not count for waiters that a broadcast is about to wake: they are taken
     * first. */
    do
        take_before(c, round = c->round, CO4_OK, &woken);
    while (round != c->round);
    struct co4__waiter *w = take_one(c);
    if (w) {
        w->result.i = CO4_OK;
        co4__list_push(&woken, w);
    }
    co4__lock_give(&c->wait_queue.lock);
    co4__list_wake(&woken);
    return CO4_OK;
}

int co4_cond_broadcast(co4_cond *cond)
{
    struct co4__sync *c = sync_of(cond);
    struct co4__list woken = { NULL, NULL };
    if (!cond)
        return CO4_EINVAL;
    co4__lock_take(&c->wait_queue.lock);
    take_all(c, CO4_OK, &woken);
    co4__lock_give(&c->wait_queue.lock);
    co4__list_wake(&woken);
    return CO4_OK;
}

int co4_cond_destroy(co4_cond *cond)
{
    return !cond || is_clear(sync_of(cond)) ? CO4_OK : CO4_EBUSY;
}

/* ---- wait group: n to come ---- */

int co4_waitgroup_add(co4_waitgroup *group, long long n)
{
    struct co4__sync *g = sync_of(group);
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
    co4__list_wake(&woken);
    return fits ? CO4_OK : CO4_EINVAL;
}

int co4_waitgroup_done(co4_waitgroup *group)
{
    return co4_waitgroup_add(group, -1);
}

static int wait_for_all(struct co4__sync *g, struct attempt *a)
{
    if (g->n > 0)
        return wait_for_round(g, a);
    co4__wait_queue_settle(&g->wait_queue); /* its task may free the group now */
    return CO4_OK;
}

int co4_waitgroup_wait_until__co4(co4_fiber *co4, co4_waitgroup *group, int64_t deadline)
{
    return pause_for(co4, group, wait_for_all, NULL, deadline);
}

int co4_waitgroup_wait__co4(co4_fiber *co4, co4_waitgroup *group)
{
    return pause_for(co4, group, wait_for_all, NULL, CO4_NEVER);
}

int co4_waitgroup_wait_until(co4_waitgroup *group, int64_t deadline)
{
    return block_for(group, wait_for_all, NULL, deadline);
}

int co4_waitgroup_wait(co4_waitgroup *group)
{
    return block_for(group, wait_for_all, NULL, CO4_NEVER);
}

int co4_waitgroup_destroy(co4_waitgroup *group)
{
    return !group || is_clear(sync_of(group)) ? CO4_OK : CO4_EBUSY;
}

/* ---- barrier: n parties; those that have come are queued ---- */

static int join_parties(struct co4__sync *b, struct attempt *a)
{
    if (b->n <= 0)
        return CO4_EINVAL;
    if (b->come + 1 < b->n && a->never_waits)
        return CO4_EBUSY;
    /* A party that gives up right now, and has not come to the gate, still counts. */
    if (++b->come < b->n)
        return wait_for_round(b, a);
    take_all(b, CO4_OK, &a->woken);
    return 1;
}

int co4_barrier_wait_until__co4(co4_fiber *co4, co4_barrier *barrier, int64_t deadline)
{
    return pause_for(co4, barrier, join_parties, NULL, deadline);
}

int co4_barrier_wait__co4(co4_fiber *co4, co4_barrier *barrier)
{
    return pause_for(co4, barrier, join_parties, NULL, CO4_NEVER);
}

int co4_barrier_wait_until(co4_barrier *barrier, int64_t deadline)
{
    return block_for(barrier, join_parties, NULL, deadline);
}

int co4_barrier_wait(co4_barrier *barrier)
{
    return block_for(barrier, join_parties, NULL, CO4_NEVER);
}

int co4_barrier_destroy(co4_barrier *barrier)
{
    return !barrier || is_clear(sync_of(barrier)) ? CO4_OK : CO4_EBUSY;
}

/* ---- once: n is one of these ---- */

enum { FRESH, RUNS, DONE };

static int enter_once(struct co4__sync *o, struct attempt *a)
{
    if (o->n == RUNS) {
        a->buffer = (void *)o->round;
        return WAITS;
    }
    bool mine = o->n == FRESH;
    if (mine)
        o->n = RUNS;
    return mine;
}

int co4__once_enter__co4(co4_fiber *co4, co4_once *once)
{
    return pause_for(co4, once, enter_once, NULL, CO4_NEVER);
}

int co4__once_enter(co4_once *once)
{
    return block_for(once, enter_once, NULL, CO4_NEVER);
}

void co4_once_leave(co4_once_turn *turn)
{
    struct co4__sync *o = sync_of(turn->once);
    /* These tasks try again: one of them runs the body, if it has failed. */
    struct co4__list woken = { NULL, NULL };
    if (!turn->once)
        return;
    co4__lock_take(&o->wait_queue.lock);
    o->n = turn->done ? DONE : FRESH;
    take_all(o, CO4_EBUSY, &woken);
    co4__lock_give(&o->wait_queue.lock);
    co4__list_wake(&woken);
    turn->once = NULL;
}

int co4_once_done(co4_once_turn *turn, int code)
{
    turn->done = code >= 0;
    co4_once_leave(turn);
    return code < 0 ? code : CO4_OK;
}
