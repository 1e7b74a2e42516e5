/* locks - mutex, read-write lock, semaphore, condition, wait group, barrier, once: on one worker,
 * with deadlines and cancellations, and on four.
 * modes: woven forced
 * expect: mutex: 3 in turn, deadline the deadline has passed, cancelled the task was cancelled, twice waiting here could never end
 * expect: mutex wrong: not possible in this state, still in use, no error, of another not possible in this state
 * expect: rwlock: readers 2 at once, a writer waited, a reader behind it got in when it gave up
 * expect: semaphore: at most 2, left 2, try still in use
 * expect: condition: 3 woken, signal one, deadline the deadline has passed with the mutex
 * expect: cancelled in a condition: the task was cancelled with the mutex
 * expect: wait group: done after 3, below zero an argument is not acceptable
 * expect: barrier: 1 last of 3, again 1 last of 3
 * expect: once: ran 1 for 3, failed first ran 2
 * expect: four workers: 40000, readers saw whole pairs
 * expect: null: an argument is not acceptable an argument is not acceptable an argument is not acceptable */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static co4_mutex mutex;
static co4_rwlock rwlock;
static co4_sem sem = CO4_SEM_INIT(2);
static co4_cond cond;
static co4_waitgroup group;
static co4_barrier barrier = CO4_BARRIER_INIT(3);

static int inside, most, order, code[4];

static void come(void)
{
    if (++inside > most)
        most = inside;
}

static pausable void in_turn(int place)
{
    must(co4_mutex_lock(&mutex));
    come();
    co4_yield();
    if (order == place)
        order++;
    inside--;
    co4_mutex_unlock(&mutex);
}

static pausable void lock_for(int64_t ns, int *err)
{
    *err = ns ? co4_mutex_lock_until(&mutex, co4_now() + ns) : co4_mutex_lock(&mutex);
}

static co4_task *start(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    return t;
}

static pausable void end(co4_task *t)
{
    co4_task_join(t);
    co4_task_release(t);
}

/* Nobody gets it. */
static pausable void unlock_of_another(int *err)
{
    *err = co4_mutex_unlock(&mutex);
}

static pausable void mutexes(void)
{
    co4_task *t[3];
    inside = most = order = 0;
    for (int i = 0; i < 3; i++)
        t[i] = start(co4_task_create(in_turn(i)));
    for (int i = 0; i < 3; i++)
        end(t[i]);
    must(co4_mutex_lock(&mutex));
    int twice = co4_mutex_lock(&mutex);
    t[0] = start(co4_task_create(lock_for(CO4_MS, &code[0])));
    end(t[0]);
    t[1] = start(co4_task_create(lock_for(0, &code[1])));
    while (co4_task_state_of(t[1]) != CO4_TASK_PAUSED)
        co4_yield();
    int busy = co4_mutex_destroy(&mutex);
    end(start(co4_task_create(unlock_of_another(&code[2]))));
    co4_task_cancel(t[1], 0);
    end(t[1]);
    co4_mutex_unlock(&mutex);
    printf("mutex: %d in turn, deadline %s, cancelled %s, twice %s\n", most == 1 ? order : -1,
           co4_strerror(code[0]), co4_strerror(code[1]), co4_strerror(twice));
    printf("mutex wrong: %s, %s, %s, of another %s\n", co4_strerror(co4_mutex_unlock(&mutex)),
           co4_strerror(busy), co4_strerror(co4_mutex_destroy(&mutex)), co4_strerror(code[2]));
}

static pausable void reads(int ms, int *err)
{
    *err = co4_rwlock_read(&rwlock);
    come();
    co4_sleep(ms * CO4_MS);
    inside--;
    co4_rwlock_unlock(&rwlock);
}

static pausable void writes(int64_t ns, int *err)
{
    *err = co4_rwlock_write_until(&rwlock, co4_now() + ns);
    if (*err == CO4_OK)
        co4_rwlock_unlock(&rwlock);
}

static pausable void rwlocks(void)
{
    co4_task *t[4];
    inside = most = 0;
    t[0] = start(co4_task_create(reads(3600000, &code[0])));
    t[1] = start(co4_task_create(reads(1, &code[1])));
    co4_yield();
    t[2] = start(co4_task_create(writes(5 * CO4_MS, &code[2])));
    while (co4_task_state_of(t[2]) != CO4_TASK_PAUSED)
        co4_yield();
    t[3] = start(co4_task_create(reads(0, &code[3])));
    code[3] = 1;
    co4_yield();
    co4_yield();
    int waited = code[3] == 1;
    end(t[2]);
    end(t[3]);
    printf("rwlock: readers %d at once, a writer %s, a reader behind it %s\n", most,
           waited && code[2] == CO4_ETIMEDOUT ? "waited" : "?",
           code[3] == CO4_OK ? "got in when it gave up" : "?");
    co4_task_cancel(t[0], 0);
    end(t[0]);
    end(t[1]);
    co4_rwlock_destroy(&rwlock);
}

static pausable void permitted(void)
{
    must(co4_sem_acquire(&sem));
    come();
    co4_yield();
    inside--;
    co4_sem_release(&sem);
}

static pausable void semaphores(void)
{
    co4_task *t[5];
    inside = most = 0;
    for (int i = 0; i < 5; i++)
        t[i] = start(co4_task_create(permitted()));
    for (int i = 0; i < 5; i++)
        end(t[i]);
    long long left = co4_sem_permits(&sem);
    must(co4_sem_acquire(&sem));
    must(co4_sem_acquire(&sem));
    printf("semaphore: at most %d, left %lld, try %s\n", most, left,
           co4_strerror(co4_sem_acquire_until(&sem, CO4_NOW)));
}

static pausable void waits(int *woken, int64_t ns, int *err)
{
    must(co4_mutex_lock(&mutex));
    *err = ns ? co4_cond_wait_until(&cond, &mutex, co4_now() + ns) : co4_cond_wait(&cond, &mutex);
    *woken += *err == CO4_OK;
    if (co4_mutex_unlock(&mutex) != CO4_OK)
        *err = 99;
}

static pausable void conditions(void)
{
    co4_task *t[3];
    int woken = 0, one;
    for (int i = 0; i < 3; i++)
        t[i] = start(co4_task_create(waits(&woken, 0, &code[i])));
    for (int i = 0; i < 20; i++)
        co4_yield();
    co4_cond_signal(&cond);
    for (int i = 0; i < 20; i++)
        co4_yield();
    one = woken;
    co4_cond_broadcast(&cond);
    for (int i = 0; i < 3; i++)
        end(t[i]);
    end(start(co4_task_create(waits(&woken, CO4_MS, &code[0]))));
    printf("condition: %d woken, signal %s, deadline %s with the mutex\n", woken,
           one == 1 ? "one" : "?", co4_strerror(code[0]));
    t[0] = start(co4_task_create(waits(&woken, 0, &code[0])));
    for (int i = 0; i < 20; i++)
        co4_yield();
    co4_task_cancel(t[0], 0);
    end(t[0]);
    printf("cancelled in a condition: %s with the mutex\n", co4_strerror(code[0]));
}

static pausable void counts(int *n)
{
    co4_yield();
    ++*n;
    co4_waitgroup_done(&group);
}

static pausable void wait_groups(void)
{
    int n = 0;
    co4_waitgroup_add(&group, 3);
    for (int i = 0; i < 3; i++)
        co4_spawn(counts(&n));
    co4_waitgroup_wait(&group);
    printf("wait group: done after %d, below zero %s\n", n,
           co4_strerror(co4_waitgroup_done(&group)));
}

static pausable void meets(int *last)
{
    *last += co4_barrier_wait(&barrier);
}

static pausable void barriers(void)
{
    co4_task *t[3];
    int last[2] = { 0, 0 };
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            t[i] = start(co4_task_create(meets(&last[round])));
        for (int i = 0; i < 3; i++)
            end(t[i]);
    }
    printf("barrier: %d last of 3, again %d last of 3\n", last[0], last[1]);
}

static pausable int runs(void *arg)
{
    int *n = arg;
    co4_yield();
    ++*n;
    return *n == 10 ? CO4_EFULL : CO4_OK;
}

static pausable void once_each(co4_once *once, int *n)
{
    co4_once_run(once, runs(n));
}

static pausable int fails_once(void *arg)
{
    co4_yield();
    return ++*(int *)arg == 1 ? CO4_EFULL : CO4_OK;
}

static pausable void fails_each(co4_once *once, int *n)
{
    co4_once_run(once, fails_once(n));
}

static pausable void onces(void)
{
    co4_once one = CO4_ONCE_INIT, two = CO4_ONCE_INIT;
    co4_task *t[6];
    int n = 0, m = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = start(co4_task_create(once_each(&one, &n)));
        t[3 + i] = start(co4_task_create(fails_each(&two, &m)));
    }
    for (int i = 0; i < 6; i++)
        end(t[i]);
    printf("once: ran %d for 3, failed first ran %d\n", n, m);
}

static struct {
    co4_mutex mutex;
    co4_rwlock rwlock;
    long n, pair[2];
    _Atomic int torn;
} shared;

static pausable void busy(int self)
{
    for (int i = 0; i < 5000; i++) {
        must(co4_mutex_lock(&shared.mutex));
        shared.n++;
        co4_mutex_unlock(&shared.mutex);
        if (i % 10 == self) {
            must(co4_rwlock_write(&shared.rwlock));
            shared.pair[0]++;
            shared.pair[1]++;
            co4_rwlock_unlock(&shared.rwlock);
        } else if (i % 10 == 9) {
            must(co4_rwlock_read(&shared.rwlock));
            shared.torn += shared.pair[0] != shared.pair[1];
            co4_rwlock_unlock(&shared.rwlock);
        }
    }
}

static void four_workers(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    for (int i = 0; i < 8; i++)
        co4_runtime_spawn(rt, busy(i));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("four workers: %ld, readers saw %s\n", shared.n,
           shared.torn == 0 && shared.pair[0] == 8 * 500 ? "whole pairs" : "torn pairs");
    co4_runtime_destroy(rt);
}

static pausable void work(void)
{
    mutexes();
    rwlocks();
    semaphores();
    conditions();
    wait_groups();
    barriers();
    onces();
}

static pausable void wrong(void)
{
    printf("null: %s %s %s\n", co4_strerror(co4_mutex_lock(NULL)),
           co4_strerror(co4_sem_release(NULL)), co4_strerror(co4_cond_wait(&cond, NULL)));
}

int main(void)
{
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(work());
    co4_test_end(NULL);
    four_workers();
    co4_run(wrong());
    return 0;
}
