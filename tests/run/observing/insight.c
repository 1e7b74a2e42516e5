/* insight.c - counters that add up, leftovers at the end, a step that takes too long, a dump at a
 * signal.
 * modes: woven forced
 * needs: signals posix
 * expect: before: 0 alive, 0 steps
 * expect: after: 40 spawned, 40 stopped, counters add up
 * expect: a worker: CO4_OK, there is no third: CO4_EINVAL
 * expect: memory: as much as before
 * expect: destroyed too early: CO4_EBUSY, told of the task, of its call and of the mailbox
 * expect: then: CO4_OK, told of the mailbox alone
 * expect: steps too long: told of slow, each time
 * expect: codes: NULL CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL
 * expect: at a signal: a dump of waiter
 * expect: another signal: CO4_EBUSY, again: CO4_EBUSY, over: CO4_OK
 * expect: with workers that are stuck: a dump
 * expect: nothing is left */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <co4/test.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static char text[20000];
static atomic_size_t length;

static int keep(void *data, const char *piece, size_t n)
{
    (void)data;
    size_t at = atomic_load(&length);
    if (at + n < sizeof text) {
        memcpy(text + at, piece, n);
        text[at + n] = '\0';
        atomic_store(&length, at + n);
    }
    return CO4_OK;
}

static int has(const char *what)
{
    return strstr(text, what) != NULL;
}

/* ---- counters ---- */

static pausable void giver(co4_mailbox *mb, int n)
{
    for (int i = 0; i < n; i++) {
        co4_mailbox_send(mb, &i);
        co4_yield();
    }
}

static pausable void taker(co4_mailbox *mb, int n)
{
    for (int i, k = 0; k < n; k++)
        co4_mailbox_receive(mb, &i);
    co4_sleep(CO4_MS);
}

static void counters(void)
{
    co4_memory before, after;
    co4_stats s, one, sum = { 0 };
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 3);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_memory_of_process(&before);
    co4_stats_of(rt, &s);
    printf("before: %llu alive, %llu steps\n", s.spawned - s.stopped, s.steps);
    co4_runtime_start(rt);
    for (int i = 0; i < 20; i++) {
        co4_runtime_spawn(rt, giver(mb, 50));
        co4_runtime_spawn(rt, taker(mb, 50));
    }
    co4_runtime_join(rt);
    co4_stats_of(rt, &s);
    for (int i = 0; i < co4_runtime_workers(rt); i++) {
        co4_stats_of_worker(rt, i, &one);
        sum.steps += one.steps;
        sum.received += one.received;
    }
    int right = s.steps == sum.steps && s.received == sum.received && s.timers == 0 &&
                s.pauses >= 20 && s.yields >= 1000 && s.steps <= s.pauses + s.yields + 40 &&
                s.received >= 40;
    printf("after: %llu spawned, %llu stopped, counters %s\n", s.spawned, s.stopped,
           right ? "add up" : "are wrong");
    printf("a worker: %s, ", co4_errname(co4_stats_of_worker(rt, 1, &one)));
    printf("there is no third: %s\n",
           co4_errname(co4_stats_of_worker(rt, co4_runtime_workers(rt) + 1, &one)));
    co4_memory_of_process(&after);
    printf("memory: %s\n",
           after.tasks == before.tasks && after.blocks == before.blocks && after.reserved_bytes > 0
               ? "as much as before"
               : "something is left");
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

/* ---- leftovers ---- */

static pausable int waiter(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static void left(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1, .report = keep });
    co4_mailbox *full = co4_mailbox_create(sizeof(long long), 4),
                *empty = co4_mailbox_create(sizeof(int), 1);
    must(co4_mailbox_send_until(full, &(long long){ 1 }, CO4_NOW));
    must(co4_mailbox_send_until(full, &(long long){ 2 }, CO4_NOW));
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, waiter(empty));
    co4_stats s;
    do
        co4_stats_of(rt, &s);
    while (s.pauses == 0 &&
           co4_block(co4_mailbox_receive_until(empty, &(int){ 0 }, co4_now() + CO4_MS)) != CO4_OK);
    printf("destroyed too early: %s, ", co4_errname(co4_runtime_destroy(rt)));
    printf("told %s\n", has("tasks that have not stopped:") && has("waiter () at ") &&
                                has("in co4_mailbox_receive()") &&
                                has("messages left: 2, bytes each: 8") && !has("messages left: 0")
                            ? "of the task, of its call and of the mailbox"
                            : text);
    atomic_store(&length, 0);
    co4_mailbox_close(empty);
    co4_runtime_join(rt);
    co4_mailbox_destroy(empty);
    printf("then: %s, ", co4_errname(co4_runtime_destroy(rt)));
    printf("told %s\n", !has("tasks") && has("messages left: 2") ? "of the mailbox alone" : text);
    co4_mailbox_destroy(full);
    atomic_store(&length, 0);
}

/* ---- steps that stop ---- */

static atomic_int of_slow;
static bool has_threads;

static void stalled(void *data, const co4_stall *s)
{
    atomic_fetch_add(&of_slow, data == &of_slow && strcmp(s->function, "slow") == 0 &&
                                   s->ns > 30 * CO4_MS && s->worker == 0 && s->task > 0);
}

/* The observer may be held up itself; without threads it is the worker, after the step. */
static pausable void slow(int times)
{
    co4_yield();
    int64_t until = co4_now() + 150 * CO4_MS;
    while (co4_now() < until || (has_threads && atomic_load(&of_slow) < times))
        ;
}

static pausable void quick(void)
{
    co4_sleep(100 * CO4_MS);
}

static void stall(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){
        .workers = 1, .on_stall = stalled, .on_stall_data = &of_slow, .stall_ns = 30 * CO4_MS });
    co4_runtime_start(rt);
    has_threads = co4_runtime_run_once(rt) == CO4_ESTATE;
    co4_runtime_spawn(rt, quick());
    co4_runtime_join(rt);
    for (int times = 1; times <= 2; times++) {
        co4_runtime_spawn(rt, slow(times));
        co4_runtime_join(rt);
    }
    co4_runtime_destroy(rt);
    puts(atomic_load(&of_slow) >= 2 ? "steps too long: told of slow, each time"
                                    : "a step too long: not told");
}

/* ---- at a signal ---- */

static void at_a_signal(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, waiter(mb));
    if (co4_dump_on_signal(SIGUSR1, keep, NULL) != CO4_OK)
        puts("wrong: no signal");
    int64_t until = co4_now() + 10 * CO4_SEC;
    do {
        raise(SIGUSR1);
        co4_block(co4_mailbox_receive_until(mb, &(int){ 0 }, co4_now() + 5 * CO4_MS));
    } while (atomic_load(&length) == 0 && co4_now() < until);
    const char *second = co4_errname(co4_dump_on_signal(SIGUSR2, keep, NULL));
    const char *again = co4_errname(co4_dump_on_signal(SIGUSR1, keep, NULL));
    const char *over = co4_errname(
        co4_dump_on_signal(SIGUSR1, NULL, NULL)); /* no dump is under way after it */
    printf("at a signal: %s\n", has("runtime") && has("task") ? "a dump of waiter" : text);
    printf("another signal: %s, again: %s, over: %s\n", second, again, over);
    co4_mailbox_close(mb);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

/* Every worker in a loop that does not end by itself: the dump comes all the same. */
static atomic_int spinning, enough;

static pausable void spin(void)
{
    atomic_fetch_add(&spinning, 1);
    while (!atomic_load(&enough))
        ;
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
}

static void when_stuck(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, spin());
    co4_runtime_spawn(rt, spin());
    for (int i = 0; i < 400 && atomic_load(&spinning) < 1; i++)
        wait_a_little();
    int threads = atomic_load(&spinning) > 0; /* without, none runs them before the join */
    atomic_store(&length, 0);
    text[0] = '\0';
    co4_dump_on_signal(SIGUSR1, keep, NULL);
    raise(SIGUSR1);
    for (int i = 0; threads && i < 2000 && atomic_load(&length) == 0; i++)
        wait_a_little();
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    printf("with workers that are stuck: %s\n", !threads || has(": running") ? "a dump" : "none");
    atomic_store(&enough, 1);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
}

int main(void)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    counters();
    left();
    stall();
    printf("codes: %s", co4_runtime_create(&(co4_runtime_options){ .stall_ns = 1 }) ? "?" : "NULL");
    printf(" %s", co4_errname(co4_stats_of(NULL, NULL)));
    printf(" %s", co4_errname(co4_runtime_report(NULL, keep, NULL)));
    printf(" %s", co4_errname(co4_dump_on_signal(0, keep, NULL)));
    printf(" %s\n", co4_errname(co4_memory_of_process(NULL)));
    at_a_signal();
    when_stuck();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == alloc)
        puts("nothing is left");
    return 0;
}
