/* past_deadlines.c - what is done already, or is there, is taken though the deadline has passed. A
 * call with a deadline that does not wait keeps no timer.
 * modes: woven forced
 * expect: a stopped task: no error, with a code: there is no room, not yet: the deadline has passed
 * expect: a future: no error 7, failed: there is no room
 * expect: a mailbox: no error 5, no error 6; send: no error, full: the deadline has passed
 * expect: await: no error 6, select: 0
 * expect: a mutex: no error, a reader: no error, a writer: no error
 * expect: a semaphore: no error, none is left: the deadline has passed
 * expect: a wait group: no error, a barrier of one: 1
 * expect: kept by 10000 of each: 0 objects, 0 timers */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 10000 };

static const int64_t past[] = { 0, 1 };

static pausable int end_with(int code)
{
    co4_yield();
    return code;
}

/* The code for both deadlines, if it is the same. */
static const char *both(const int code[2])
{
    return code[0] == code[1] ? co4_strerror(code[0]) : "not the same";
}

static pausable void tasks(void)
{
    int done[2], failed[2], early[2];
    co4_task *t = co4_task_create(end_with(CO4_OK)), *f = co4_task_create(end_with(CO4_EFULL));
    for (int i = 0; i < 2; i++)
        early[i] = co4_task_join_until(t, past[i]);
    co4_runtime_schedule(NULL, t);
    co4_runtime_schedule(NULL, f);
    co4_task_join(t);
    co4_task_join(f);
    for (int i = 0; i < 2; i++) {
        done[i] = co4_task_join_until(t, past[i]);
        failed[i] = co4_task_join_until(f, past[i]);
    }
    printf("a stopped task: %s, with a code: %s, not yet: %s\n", both(done), both(failed),
           both(early));
    co4_task_release(t);
    co4_task_release(f);
}

static pausable void futures(void)
{
    int done[2], failed[2], v = 7, got = 0;
    co4_future *d = co4_future_create(sizeof v), *f = co4_future_create(sizeof v);
    co4_future_complete(d, &v);
    co4_future_fail(f, CO4_EFULL);
    for (int i = 0; i < 2; i++) {
        done[i] = co4_future_await_until(d, &got, past[i]);
        failed[i] = co4_future_await_until(f, &v, past[i]);
    }
    printf("a future: %s %d, failed: %s\n", both(done), got, both(failed));
    co4_future_release(d);
    co4_future_release(f);
}

static pausable void mailboxes(void)
{
    int v = 5, got[2], code[2], sent, full[2];
    co4_mailbox *mb = co4_mailbox_create(sizeof v, 2);
    co4_mailbox_send(mb, &v);
    v = 6;
    sent = co4_mailbox_send_until(mb, &v, past[1]);
    for (int i = 0; i < 2; i++)
        full[i] = co4_mailbox_send_until(mb, &v, past[i]);
    for (int i = 0; i < 2; i++)
        code[i] = co4_mailbox_receive_until(mb, &got[i], past[i]);
    printf("a mailbox: %s %d, %s %d; send: %s, full: %s\n", co4_strerror(code[0]), got[0],
           co4_strerror(code[1]), got[1], co4_strerror(sent), both(full));
    co4_mailbox_send(mb, &v);
    code[0] = co4_await_until(co4_mailbox_source(mb), &got[0], past[1]);
    co4_mailbox_send(mb, &v);
    co4_case one = CO4_CASE(co4_mailbox_source(mb), &got[1]);
    printf("await: %s %d, ", co4_strerror(code[0]), got[0]);
    printf("select: %d\n", co4_select_until(&one, 1, 0, past[1]));
    co4_mailbox_destroy(mb);
}

static co4_mutex mutex;
static co4_rwlock rwlock;
static co4_sem sem = CO4_SEM_INIT(2);
static co4_waitgroup group;
static co4_barrier barrier = CO4_BARRIER_INIT(1);

static pausable void locks(void)
{
    int lock[2], reads[2], writes[2], acquired[2], none[2], waited[2], arrived[2];
    for (int i = 0; i < 2; i++) {
        lock[i] = co4_mutex_lock_until(&mutex, past[i]);
        co4_mutex_unlock(&mutex);
        reads[i] = co4_rwlock_read_until(&rwlock, past[i]);
        co4_rwlock_unlock(&rwlock);
        writes[i] = co4_rwlock_write_until(&rwlock, past[i]);
        co4_rwlock_unlock(&rwlock);
        acquired[i] = co4_sem_acquire_until(&sem, past[i]);
        waited[i] = co4_waitgroup_wait_until(&group, past[i]);
        arrived[i] = co4_barrier_wait_until(&barrier, past[i]);
    }
    for (int i = 0; i < 2; i++)
        none[i] = co4_sem_acquire_until(&sem, past[i]);
    printf("a mutex: %s, a reader: %s, ", both(lock), both(reads));
    printf("a writer: %s\n", both(writes));
    printf("a semaphore: %s, none is left: %s\n", both(acquired), both(none));
    printf("a wait group: %s, a barrier of one: %d\n", both(waited),
           arrived[0] == arrived[1] ? arrived[0] : -1);
    co4_sem_release(&sem);
}

/* Calls that end at once, though their deadline is far. */
static pausable void at_once(co4_mailbox *mb, co4_future *f, co4_task *stopped)
{
    int64_t far = co4_now() + 3600 * CO4_SEC;
    int v = 1, bad = 0;
    bad += co4_mailbox_send_until(mb, &v, far) != CO4_OK;
    bad += co4_mailbox_receive_until(mb, &v, far) != CO4_OK;
    bad += co4_future_await_until(f, &v, far) != CO4_OK;
    bad += co4_task_join_until(stopped, far) != CO4_OK;
    bad += co4_mutex_lock_until(&mutex, far) != CO4_OK;
    bad += co4_mutex_unlock(&mutex) != CO4_OK;
    bad += co4_rwlock_read_until(&rwlock, far) != CO4_OK;
    bad += co4_rwlock_unlock(&rwlock) != CO4_OK;
    bad += co4_rwlock_write_until(&rwlock, far) != CO4_OK;
    bad += co4_rwlock_unlock(&rwlock) != CO4_OK;
    bad += co4_sem_acquire_until(&sem, far) != CO4_OK;
    bad += co4_sem_release(&sem) != CO4_OK;
    bad += co4_waitgroup_wait_until(&group, far) != CO4_OK;
    bad += co4_barrier_wait_until(&barrier, far) != 1;
    co4_mailbox_send(mb, &v);
    bad += co4_await_until(co4_mailbox_source(mb), &v, far) != CO4_OK;
    if (bad)
        abort();
}

static pausable void kept(void)
{
    int v = 1;
    co4_stats before, after;
    co4_mailbox *mb = co4_mailbox_create(sizeof v, 1);
    co4_future *f = co4_future_create(sizeof v);
    co4_task *t = co4_task_create(end_with(CO4_OK));
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_future_complete(f, &v);
    at_once(mb, f, t);
    co4_stats_of(NULL, &before);
    long long live = co4_test_pool_live();
    for (int i = 0; i < ROUNDS; i++)
        at_once(mb, f, t);
    live = co4_test_pool_live() - live;
    co4_stats_of(NULL, &after);
    printf("kept by %d of each: %lld objects, %lld timers\n", ROUNDS, live,
           (long long)(after.timers - before.timers));
    co4_task_release(t);
    co4_future_release(f);
    co4_mailbox_destroy(mb);
}

static pausable void all(void)
{
    tasks();
    futures();
    mailboxes();
    locks();
    kept();
}

int main(void)
{
    co4_run(all());
    return 0;
}
