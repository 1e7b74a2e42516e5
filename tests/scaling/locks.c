/* locks.c - as long as a thread holds any lock: no more of the library, and no more bytes copied,
 * however many wait or however much there is; and no memory is taken or given back. */
#include <pthread.h>
#include <unistd.h>

#include <co4/posix_stdio.h>
#include <co4/test.h>

#include "hold.h"

/* ---- futures, ends of tasks: every select that listens has another source by then ---- */

static pausable void selects(co4_source *one, co4_source *other, co4_waitgroup *ended)
{
    co4_case cases[] = { CO4_CASE(one, NULL), CO4_CASE(other, NULL) };
    if (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, CO4_NEVER) != 0)
        abort();
    co4_waitgroup_done(ended);
}

static pausable void complete_past(long n)
{
    co4_future *one = co4_future_create(0), *other = co4_future_create(0);
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++)
        co4_spawn(selects(co4_future_source(one), co4_future_source(other), &ended));
    co4_yield();
    must(co4_future_complete(one, NULL));
    look();
    must(co4_future_complete(other, NULL));
    measure_hold();
    co4_waitgroup_wait(&ended);
    co4_future_release(one);
    co4_future_release(other);
}

static void future(long n)
{
    co4_run(complete_past(n));
}

static pausable int opens(co4_mailbox *gate)
{
    int n;
    return co4_mailbox_receive(gate, &n);
}

/* The end of `last`, which tells n that listen to it, after the future has been completed. */
static pausable void completes_and_ends(co4_mailbox *gate, co4_future *one)
{
    must(opens(gate));
    must(co4_future_complete(one, NULL));
    look();
}

static pausable void end_past(long n)
{
    int go = 1;
    co4_mailbox *gate = co4_mailbox_create(sizeof go, 1);
    co4_future *one = co4_future_create(0);
    co4_task *last = co4_task_create(completes_and_ends(gate, one));
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++)
        co4_spawn(selects(co4_future_source(one), co4_task_source(last), &ended));
    must(co4_runtime_schedule(NULL, last));
    co4_yield();
    must(co4_mailbox_send_until(gate, &go, CO4_NOW));
    co4_waitgroup_wait(&ended);
    measure_hold();
    co4_task_release(last);
    co4_future_release(one);
    co4_mailbox_destroy(gate);
}

static void end(long n)
{
    co4_run(end_past(n));
}

/* ---- joins without memory for more ---- */

static pausable void joins(co4_task *task, co4_waitgroup *ended)
{
    co4_test_fail_alloc(1);
    must(co4_task_join(task) == CO4_ECLOSED ? CO4_OK : CO4_EINVAL); /* as its mailbox */
    co4_waitgroup_done(ended);
}

static pausable void join_past(long n)
{
    co4_mailbox *gate = co4_mailbox_create(sizeof(int), 1), *first = co4_mailbox_create(4, 1);
    co4_task **tasks = some(n, sizeof(co4_task *));
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++) {
        tasks[i] = co4_task_create(opens(i == 0 ? first : gate));
        must(co4_runtime_schedule(NULL, tasks[i]));
    }
    co4_yield();
    for (long i = 0; i < n; i++)
        co4_spawn(joins(tasks[i], &ended));
    co4_yield();
    co4_test_fail_alloc(0);
    co4_mailbox_close(first);
    look();
    co4_yield();
    measure_hold();
    co4_mailbox_close(gate);
    co4_waitgroup_wait(&ended);
    for (long i = 0; i < n; i++)
        co4_task_release(tasks[i]);
    free(tasks);
    co4_mailbox_destroy(first);
    co4_mailbox_destroy(gate);
}

static void joiners(long n)
{
    co4_run(join_past(n));
}

/* ---- runtimes ---- */

static int nowhere(void *data, const char *text, size_t bytes)
{
    (void)data, (void)text, (void)bytes;
    return CO4_OK;
}

static void runtimes(long n)
{
    co4_runtime **all = some(n, sizeof(co4_runtime *));
    for (long i = 0; i < n; i++) {
        all[i] = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
        must(co4_runtime_start(all[i]));
    }
    look();
    co4_watch(1);
    co4_watch(0);
    must(co4_dump(all[0], nowhere, NULL));
    for (long i = 0; i < n; i++)
        must(co4_runtime_destroy(all[i]));
    measure_hold();
    free(all);
}

static pausable int dumps(long n)
{
    if (n > 0)
        return dumps(n - 1) + 1;
    co4_yield();
    return 0;
}

static pausable void looks(void)
{
    look();
    must(co4_dump(NULL, nowhere, NULL));
    measure_hold();
}

static pausable void is_deep(long n)
{
    co4_spawn(looks());
    if (dumps(n) != n)
        abort();
}

static void deep_call(long n)
{
    co4_run(is_deep(n));
}

/* ---- threads ---- */

struct crowd {
    pthread_barrier_t come, leave;
    void (*begin)(void);
};

static void *stays(void *arg)
{
    struct crowd *c = arg;
    c->begin();
    pthread_barrier_wait(&c->come);
    pthread_barrier_wait(&c->leave);
    return NULL;
}

/* While so many threads have begun, this one does it. */
static void with_threads(long n, void (*begin)(void), void (*then)(void))
{
    struct crowd c = { .begin = begin };
    pthread_t *all = some(n, sizeof *all);
    pthread_barrier_init(&c.come, NULL, (unsigned)n + 1);
    pthread_barrier_init(&c.leave, NULL, (unsigned)n + 1);
    for (long i = 0; i < n; i++)
        must(-pthread_create(&all[i], NULL, stays, &c));
    pthread_barrier_wait(&c.come);
    look();
    then();
    measure_hold();
    pthread_barrier_wait(&c.leave);
    for (long i = 0; i < n; i++)
        pthread_join(all[i], NULL);
    pthread_barrier_destroy(&c.come);
    pthread_barrier_destroy(&c.leave);
    free(all);
}

static pausable void yields(void)
{
    co4_yield();
}

static void runs(void)
{
    co4_run(yields());
}

static void asks(void)
{
    co4_memory memory;
    must(co4_memory_of_process(&memory));
}

static void memory(long n)
{
    with_threads(n, runs, asks);
}

/* This thread has no ring for that many events yet. */
static void traces(long n)
{
    static size_t events = 64;
    must(co4_trace_begin(events++));
    with_threads(n, runs, runs);
    must(co4_trace_end());
}

/* Threads for blocking calls that have nothing to do any more, and end at one time. */
static void meets(pthread_barrier_t *all)
{
    pthread_barrier_wait(all);
}

static pausable void calls(pthread_barrier_t *all)
{
    co4_blocking(meets(all));
}

static pausable void call_all(long n, pthread_barrier_t *all)
{
    for (long i = 0; i < n; i++)
        co4_spawn(calls(all));
    calls(all);
}

static void idle_threads(long n)
{
    pthread_barrier_t all;
    must(co4_blocking_limit((int)n + 1));
    pthread_barrier_init(&all, NULL, (unsigned)n + 1);
    atomic_store(&longest_of_all, 0);
    co4_run(call_all(n, &all));
    while (co4_blocking_threads() > 0)
        usleep(1000);
    /* Or what a thread does at its end, or the pool with one magazine of frames (trim.c): */
    measured = atomic_load(&longest_of_all);
    if (measured < 300)
        measured = 300;
    must(co4_blocking_stop());
    pthread_barrier_destroy(&all);
}

/* ---- waiters of an object of the C library, of which a release wakes all ---- */

void co4__parked_wake(const void *object, bool all);

static pausable void waits_for_stream(co4_waitgroup *done)
{
    co4_posix_flockfile(stdin);
    co4_posix_funlockfile(stdin);
    co4_waitgroup_done(done);
}

static pausable void wake_past(long n)
{
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    co4_posix_flockfile(stdin);
    for (long i = 0; i < n; i++)
        co4_spawn(waits_for_stream(&done));
    co4_yield();
    look();
    co4__parked_wake(stdin, true);
    measure_hold();
    co4_posix_funlockfile(stdin);
    co4_waitgroup_wait(&done);
}

static void waiters(long n)
{
    co4_run(wake_past(n));
}

/* ---- deadlines ---- */

static pausable void sleeps(int64_t until)
{
    co4_sleep_until(until);
}

static pausable void sleep_all(long n, int64_t step)
{
    int64_t now = co4_now();
    look();
    for (long i = 1; i <= n; i++)
        co4_spawn(sleeps(now + CO4_SEC + (step < 0 ? n + 1 - i : i)));
    co4_yield();
    co4_sleep_until(now + 2 * CO4_SEC);
    measure_hold();
}

static void simulated(long n, int64_t step)
{
    co4_test_begin(&(co4_test_options){ .seed = 0 });
    co4_run(sleep_all(n, step));
    co4_test_end(NULL);
}

static void later(long n)
{
    simulated(n, 1);
}

static void earlier(long n)
{
    simulated(n, -1);
}

/* ---- memory ---- */

/* A thread that has had none yet. */
static void *gives_back(void *group)
{
    must(co4_group_destroy(group));
    return NULL;
}

/* Such a thread puts what a task waits for with a deadline: the timer goes under the lock. */
static void *puts_one(void *mb)
{
    int n = 1;
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    return NULL;
}

static pausable void waits_in_time(co4_mailbox *mb, pthread_t *other)
{
    int n;
    must(-pthread_create(other, NULL, puts_one, mb));
    must(co4_mailbox_receive_until(mb, &n, co4_now() + 1000 * CO4_SEC));
}

static int takes_none(void)
{
    pthread_t other;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    for (int i = 0; i < 20; i++) { /* it may put before the task waits */
        co4_run(waits_in_time(mb, &other));
        pthread_join(other, NULL);
    }
    co4_mailbox_destroy(mb);
    co4_group *above = co4_group_create(NULL), *below = co4_group_create(above);
    must(-pthread_create(&other, NULL, gives_back, below));
    pthread_join(other, NULL);
    must(co4_group_destroy(above));
    unsigned times = atomic_load(&taken_under_one);
    printf("memory was taken or given back %u times under a lock\n", times);
    return times > 0;
}

int main(void)
{
    int failed = 0;
    co4_deadlock_detect(0);
    failed += grows("a future that nobody wants any more", future, 2000, CONSTANT);
    failed += grows("the end of a task that nobody wants any more", end, 2000, CONSTANT);
    failed += grows("the end of one of many tasks that are joined", joiners, 20000, CONSTANT);
    failed += grows("many runtimes", runtimes, 1000, CONSTANT);
    failed += grows("a dump of a deep call", deep_call, 20000, CONSTANT);
    failed += grows("memory of the process with many threads", memory, 32, CONSTANT);
    failed += grows("a trace of many threads", traces, 32, CONSTANT);
    failed += grows("threads that have become idle", idle_threads, 128, CONSTANT);
    failed += grows("many waiters that are woken at once", waiters, 2000, CONSTANT);
    failed += grows("deadlines, each later", later, 20000, CONSTANT);
    failed += grows("deadlines, each earlier", earlier, 20000, CONSTANT);
    failed += takes_none();
    return failed > 0;
}
