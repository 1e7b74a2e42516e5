/* freed_in_a_yield - a thread serves more waiters than one hold of a lock may. Others see meanwhile
 * that the wait is over, and free the object of their wait: the thread does not touch it any more.
 * And no thread forgets half of its notices.
 * modes: woven
 * flags: -Wno-unknown-warning-option -Wno-use-after-free
 * needs: threads workers
 * expect: wait group: freed by a task that came late
 * expect: barrier: freed by a party that was cancelled too late
 * expect: timer: freed by the last waiter
 * expect: future: completed by a thread that has no share
 * expect: forgotten: all of the notices, or none
 * expect: put below a filter: the receiver destroys the mailbox */
#include <co4.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 65, ROUNDS = 100 };

static co4_runtime *rt;
static co4_mailbox *other;
static atomic_int come, freed, go, left;

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void spawn(bool is_spawned)
{
    if (!is_spawned)
        abort();
}

static co4_task *schedule(co4_task *task)
{
    spawn(task);
    must(co4_runtime_schedule(rt, task));
    return task;
}

/* So many have begun; a moment later they wait. */
static void wait_for(int n)
{
    while (atomic_load(&come) < n)
        sched_yield();
    for (volatile int i = 0; i < 2000; i++)
        ;
}

static void free_all(void *object, size_t bytes)
{
    memset(object, 0xee, bytes);
    free(object);
    atomic_fetch_add(&freed, 1);
}

static void in_thread(pthread_t *thread, void *(*f)(void *), void *arg)
{
    must(-pthread_create(thread, NULL, f, arg));
}

static void end_round(pthread_t thread)
{
    pthread_join(thread, NULL);
    must(co4_runtime_join(rt));
}

/* ---- wait group ---- */

static pausable void in_group(co4_waitgroup *group)
{
    atomic_fetch_add(&come, 1);
    must(co4_waitgroup_wait(group));
}

static pausable void comes_late(co4_waitgroup *group)
{
    atomic_store(&go, 1);
    while (co4_waitgroup_wait_until(group, co4_now()) == CO4_ETIMEDOUT)
        sched_yield();
    while (co4_waitgroup_destroy(group) == CO4_EBUSY)
        co4_yield();
    free_all(group, sizeof *group);
}

static void *is_done(void *group)
{
    must(co4_waitgroup_done(group));
    return NULL;
}

static void group_round(void)
{
    pthread_t thread;
    co4_waitgroup *group = calloc(1, sizeof *group);
    must(co4_waitgroup_add(group, 1));
    atomic_store(&come, 0);
    atomic_store(&go, 0);
    co4_task *waiters[MANY];
    for (int i = 0; i < MANY; i++)
        waiters[i] = schedule(co4_task_create(in_group(group)));
    wait_for(MANY);
    for (int i = 0; i < MANY; i++) {
        /* one that has still to come would find the group freed */
        while (co4_task_state_of(waiters[i]) != CO4_TASK_PAUSED)
            sched_yield();
        co4_task_release(waiters[i]);
    }
    spawn(co4_runtime_spawn(rt, comes_late(group)));
    while (!atomic_load(&go))
        sched_yield();
    in_thread(&thread, is_done, group);
    end_round(thread);
}

/* ---- barrier ---- */

static pausable void party(co4_barrier *barrier)
{
    atomic_fetch_add(&come, 1);
    if (co4_barrier_wait(barrier) < CO4_OK)
        abort();
}

/* The barrier's result says whether it was cancelled in time. */
static pausable void is_cancelled(co4_barrier *barrier)
{
    atomic_fetch_add(&come, 1);
    if (co4_barrier_wait(barrier) < CO4_OK)
        return;
    while (co4_barrier_destroy(barrier) == CO4_EBUSY)
        sched_yield();
    free_all(barrier, sizeof *barrier);
}

static void *cancels(void *task)
{
    int err = co4_task_cancel(task, 0);
    if (err != CO4_OK && err != CO4_ESTATE) /* it has ended */
        abort();
    return NULL;
}

/* If it was in time the barrier lacks a party, and is freed here. */
static void barrier_round(void)
{
    pthread_t thread;
    co4_barrier *barrier = malloc(sizeof *barrier);
    *barrier = (co4_barrier)CO4_BARRIER_INIT(MANY + 1);
    int before = atomic_load(&freed);
    atomic_store(&come, 0);
    for (int i = 0; i < MANY - 1; i++)
        spawn(co4_runtime_spawn(rt, party(barrier)));
    wait_for(MANY - 1);
    co4_task *task = schedule(co4_task_create(is_cancelled(barrier)));
    wait_for(MANY);
    in_thread(&thread, cancels, task);
    spawn(co4_runtime_spawn(rt, party(barrier)));
    pthread_join(thread, NULL);
    must(co4_block(co4_task_join(task)));
    co4_task_release(task);
    bool in_time = atomic_load(&freed) == before;
    if (in_time)
        spawn(co4_runtime_spawn(rt, party(barrier)));
    must(co4_runtime_join(rt));
    if (in_time)
        free(barrier);
}

/* ---- timer ---- */

static pausable void at_timer(co4_timer *timer)
{
    atomic_fetch_add(&come, 1);
    must(co4_await(co4_timer_source(timer), NULL));
    if (atomic_fetch_sub(&left, 1) > 1)
        return;
    must(co4_timer_destroy(timer));
    free_all(timer, sizeof *timer);
}

static void *starts(void *timer)
{
    must(co4_timer_start(timer, co4_now()));
    return NULL;
}

static void timer_round(void)
{
    pthread_t thread;
    co4_timer *timer = malloc(sizeof *timer);
    must(co4_timer_init(timer));
    atomic_store(&come, 0);
    atomic_store(&left, MANY - 1);
    for (int i = 0; i < MANY - 1; i++)
        spawn(co4_runtime_spawn(rt, at_timer(timer)));
    wait_for(MANY - 1);
    in_thread(&thread, starts, timer);
    end_round(thread);
}

/* ---- future ---- */

static pausable void at_future(co4_future *future)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &n),
                         CO4_CASE(co4_future_source(future), NULL) };
    atomic_fetch_add(&come, 1);
    if (co4_select(cases, 2) < 0)
        abort();
    co4_future_release(future);
}

static void *completes(void *future)
{
    must(co4_future_complete(future, NULL));
    return NULL;
}

static void future_round(void)
{
    pthread_t thread;
    co4_future *future = co4_future_create(0);
    atomic_store(&come, 0);
    other = co4_mailbox_create(sizeof(int), MANY);
    for (int i = 0; i < MANY; i++)
        spawn(co4_runtime_spawn(rt, at_future(co4_future_retain(future))));
    wait_for(MANY);
    in_thread(&thread, completes, future);
    for (int i = 0; i < MANY; i++)
        must(co4_mailbox_send_until(other, &i, CO4_NOW));
    while (co4_future_await_until(future, NULL, CO4_NOW) == CO4_EEMPTY)
        sched_yield();
    co4_future_release(future);
    end_round(thread);
    must(co4_mailbox_destroy(other));
}

/* ---- notices ---- */

static pausable void ends(void)
{
    while (!atomic_load(&go))
        co4_yield();
}

/* Were all notices forgotten, or all sent? */
static int forget_round(void)
{
    co4_mailbox *notices = co4_mailbox_create(sizeof(co4_exit), 3 * MANY);
    atomic_store(&go, 0);
    co4_task *task = schedule(co4_task_create(ends()));
    for (int i = 0; i < 3 * MANY; i++)
        must(co4_task_notify_exit(task, notices, NULL));
    atomic_store(&go, 1);
    int err = co4_task_forget_exit(task, notices);
    must(co4_block(co4_task_join(task)));
    must(co4_runtime_join(rt));
    size_t sent = co4_mailbox_len(notices);
    must(co4_mailbox_destroy(notices));
    co4_task_release(task);
    return sent == (err == CO4_OK ? 0 : 3 * MANY);
}

/* ---- a put below a filter, which is notified of a place ---- */

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static pausable void puts_last(co4_mailbox *mb)
{
    int n = 2;
    co4_sending putting;
    co4_filtering filtering;
    atomic_fetch_add(&come, 1);
    must(co4_await(co4_source_filter(&filtering, co4_mailbox_sending(&putting, mb, &n), any, NULL),
                   NULL));
}

static void put_round(void)
{
    int n = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    atomic_store(&come, 0);
    spawn(co4_runtime_spawn(rt, puts_last(mb)));
    wait_for(1);
    for (int i = 0; i < 2; i++)
        while (co4_mailbox_receive_until(mb, &n, CO4_NOW) != CO4_OK)
            sched_yield();
    while (co4_mailbox_destroy(mb) == CO4_EBUSY)
        sched_yield(); /* until the hold of the place has ended */
    must(co4_runtime_join(rt));
}

int main(void)
{
    int right = 0;
    co4_deadlock_detect(0);
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    must(co4_runtime_start(rt));
    for (int i = 0; i < ROUNDS; i++)
        group_round();
    for (int i = 0; i < ROUNDS; i++)
        barrier_round();
    printf("wait group: freed by a task that came late\n");
    printf("barrier: freed by a party that was cancelled too late\n");
    for (int i = 0; i < ROUNDS; i++)
        timer_round();
    for (int i = 0; i < ROUNDS; i++)
        future_round();
    for (int i = 0; i < ROUNDS; i++)
        right += forget_round();
    for (int i = 0; i < 10 * ROUNDS; i++)
        put_round();
    printf("timer: freed by the last waiter\n");
    printf("future: completed by a thread that has no share\n");
    if (right == ROUNDS)
        printf("forgotten: all of the notices, or none\n");
    printf("put below a filter: the receiver destroys the mailbox\n");
    must(co4_runtime_destroy(rt));
    return 0;
}
