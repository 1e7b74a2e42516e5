/* rounds_races - many tasks go on at once while deadlines and cancellations end some of their
 * waits, on four workers: of each round of a barrier exactly its parties go on; no signal of a
 * condition is lost beside broadcasts; a wait group ends all waits.
 * modes: woven forced
 * expect: barrier: 150 for each of the last, 0 left over
 * expect: condition: 3000 tickets taken
 * expect: wait group: 300 waits ended */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PARTIES = 150, COMERS = 400, TIMES = 10, TAKERS = 150, TICKETS = 3000, WAITERS = 300 };

static co4_barrier barrier = CO4_BARRIER_INIT(PARTIES);
static atomic_int went_on, last;

static pausable void comes(int self)
{
    for (int i = 0; i < TIMES; i++) {
        int err = co4_barrier_wait_until(&barrier, co4_now() + (self * 7 + i) % 300 * CO4_US);
        if (err == 1)
            atomic_fetch_add(&last, 1);
        if (err >= 0)
            atomic_fetch_add(&went_on, 1);
    }
}

static co4_mutex mutex = CO4_MUTEX_INIT;
static co4_cond cond = CO4_COND_INIT;
static int tickets, taken;
static atomic_int signals;

static pausable void takes(void)
{
    if (co4_mutex_lock(&mutex) != CO4_OK)
        return;
    while (taken < TICKETS) {
        if (tickets == 0) {
            if (co4_cond_wait(&cond, &mutex) != CO4_OK)
                puts("wait");
            continue;
        }
        tickets--;
        if (++taken == TICKETS)
            co4_cond_broadcast(&cond);
        co4_mutex_unlock(&mutex);
        co4_yield();
        if (co4_mutex_lock(&mutex) != CO4_OK)
            return;
    }
    co4_mutex_unlock(&mutex);
}

static pausable void gives(void)
{
    for (int i = 0; i < TICKETS; i++) {
        if (co4_mutex_lock(&mutex) != CO4_OK)
            return;
        tickets++;
        co4_mutex_unlock(&mutex);
        co4_cond_signal(&cond);
        atomic_fetch_add(&signals, 1);
    }
}

/* Until half of the signals have come: the others have no help. */
static pausable void wakes_all(void)
{
    while (atomic_load(&signals) < TICKETS / 2) {
        co4_cond_broadcast(&cond);
        co4_yield();
    }
}

static co4_waitgroup group = CO4_WAITGROUP_INIT;
static atomic_int ended;

static pausable void waits(int self)
{
    int err = self % 3 ? co4_waitgroup_wait(&group)
                       : co4_waitgroup_wait_until(&group, co4_now() + self * CO4_US);
    if (err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_ECANCELED)
        atomic_fetch_add(&ended, 1);
}

static pausable void cancels(co4_task **all)
{
    for (int i = 0; i < WAITERS; i += 5)
        co4_task_cancel(all[i], 0);
}

int main(void)
{
    static co4_task *all[WAITERS];
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    for (int i = 0; i < COMERS; i++)
        co4_runtime_spawn(rt, comes(i));
    for (int i = 0; i < TAKERS; i++)
        co4_runtime_spawn(rt, takes());
    co4_runtime_spawn(rt, gives());
    co4_runtime_spawn(rt, wakes_all());
    co4_waitgroup_add(&group, 1);
    for (int i = 0; i < WAITERS; i++) {
        all[i] = co4_task_create(waits(i));
        co4_runtime_schedule(rt, all[i]);
    }
    co4_runtime_spawn(rt, cancels(all));
    co4_runtime_start(rt);
    co4_waitgroup_done(&group);
    co4_runtime_join(rt);
    for (int i = 0; i < WAITERS; i++)
        co4_task_release(all[i]);
    printf("barrier: %d for each of the last, %d left over\n", PARTIES,
           atomic_load(&went_on) - PARTIES * atomic_load(&last));
    printf("condition: %d tickets taken\n", taken);
    printf("wait group: %d waits ended\n", atomic_load(&ended));
    co4_runtime_destroy(rt);
    return 0;
}
