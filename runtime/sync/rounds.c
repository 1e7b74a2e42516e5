/* rounds.c - a condition, a wait group, a barrier and once: all waiters go on at once.
 *
 * The release is one step under the lock, which increments `round`. Each waiter has the number of
 * its round, and waiters of earlier rounds are at the head of the queue. A thread claims them, and
 * yields the lock after each CO4__BATCH; it wakes none before it has claimed all. Newcomers belong
 * to the next round, and stay. A waiter that its timer or cancellation claims finds at the gate
 * whether its round was over before: if so, it goes on with CO4_OK. So exactly the parties that the
 * round has counted go on.
 *
 * A claiming thread may have yielded the lock. A wait that finds its round, or the group, to be
 * over waits until that thread has left the object, because its task may free it then. Model:
 * tests/model/round.pml. */
#include "sync/sync.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"

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

bool co4__round_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                     struct co4__list *woken)
{
    struct co4__sync *s = co4__sync_of_queue(wait_queue);
    (void)woken;
    bool over = round_of(w) != s->round;
    s->come -= !over;
    if (over) /* its task may free the object now */
        co4__wait_queue_settle(wait_queue);
    return over;
}

/* ---- condition ---- */

static int wait_for_round(struct co4__sync *s, struct co4__attempt *a)
{
    a->gate = CO4__GATE_ROUNDS;
    a->buffer = (void *)s->round;
    return CO4__WAITS;
}

/* Both queue the caller first, and only then unlock the mutex: the next holder finds the caller. A
 * task may be woken before the function returns; the pause that follows handles that (task.c). */
int co4__cond_wait__co4(co4_fiber *co4, co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    return co4__sync_pause(co4, cond, wait_for_round, mutex, deadline);
}

int co4__cond_wait(co4_cond *cond, co4_mutex *mutex, int64_t deadline)
{
    return co4__sync_block(cond, wait_for_round, mutex, deadline);
}

int co4_cond_signal(co4_cond *cond)
{
    struct co4__sync *c = co4__sync_of(cond);
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
    struct co4__waiter *w = co4__sync_take_one(c);
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
    struct co4__sync *c = co4__sync_of(cond);
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
    return co4__sync_destroy(cond);
}

/* ---- wait group: n to come ---- */

int co4_waitgroup_add(co4_waitgroup *group, long long n)
{
    struct co4__sync *g = co4__sync_of(group);
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

static int wait_for_all(struct co4__sync *g, struct co4__attempt *a)
{
    if (g->n > 0)
        return wait_for_round(g, a);
    co4__wait_queue_settle(&g->wait_queue); /* its task may free the group now */
    return CO4_OK;
}

int co4_waitgroup_wait_until__co4(co4_fiber *co4, co4_waitgroup *group, int64_t deadline)
{
    return co4__sync_pause(co4, group, wait_for_all, NULL, deadline);
}

int co4_waitgroup_wait__co4(co4_fiber *co4, co4_waitgroup *group)
{
    return co4__sync_pause(co4, group, wait_for_all, NULL, CO4_NEVER);
}

int co4_waitgroup_wait_until(co4_waitgroup *group, int64_t deadline)
{
    return co4__sync_block(group, wait_for_all, NULL, deadline);
}

int co4_waitgroup_wait(co4_waitgroup *group)
{
    return co4__sync_block(group, wait_for_all, NULL, CO4_NEVER);
}

int co4_waitgroup_destroy(co4_waitgroup *group)
{
    return co4__sync_destroy(group);
}

/* ---- barrier: n parties; those that have come are queued ---- */

static int join_parties(struct co4__sync *b, struct co4__attempt *a)
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
    return co4__sync_pause(co4, barrier, join_parties, NULL, deadline);
}

int co4_barrier_wait__co4(co4_fiber *co4, co4_barrier *barrier)
{
    return co4__sync_pause(co4, barrier, join_parties, NULL, CO4_NEVER);
}

int co4_barrier_wait_until(co4_barrier *barrier, int64_t deadline)
{
    return co4__sync_block(barrier, join_parties, NULL, deadline);
}

int co4_barrier_wait(co4_barrier *barrier)
{
    return co4__sync_block(barrier, join_parties, NULL, CO4_NEVER);
}

int co4_barrier_destroy(co4_barrier *barrier)
{
    return co4__sync_destroy(barrier);
}

/* ---- once: n is one of these ---- */

enum { FRESH, RUNS, DONE };

static int enter_once(struct co4__sync *o, struct co4__attempt *a)
{
    if (o->n == RUNS) {
        a->buffer = (void *)o->round;
        return CO4__WAITS;
    }
    bool mine = o->n == FRESH;
    if (mine)
        o->n = RUNS;
    return mine;
}

int co4__once_enter__co4(co4_fiber *co4, co4_once *once)
{
    return co4__sync_pause(co4, once, enter_once, NULL, CO4_NEVER);
}

int co4__once_enter(co4_once *once)
{
    return co4__sync_block(once, enter_once, NULL, CO4_NEVER);
}

void co4_once_leave(co4_once_turn *turn)
{
    struct co4__sync *o = co4__sync_of(turn->once);
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
