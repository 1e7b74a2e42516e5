/* simulated_runtime.c - a runtime with a test of its own: driven by join or by hand, with tasks
 * that run others, when memory fails.
 * modes: woven forced
 * expect: by join: 8 tasks, 7 days
 * expect: by hand: 8 tasks, the same steps
 * expect: a deadlock: CO4_EDEADLK, then ended
 * expect: a run in a task: 42
 * expect: timers and tickers: 10 ticks, 3 timers
 * expect: whatever allocation fails, the same twice
 * expect: two runtimes talk: 100
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static int days, ended;

static pausable int sleeper(int n)
{
    int64_t began = co4_now();
    co4_sleep(n * 24 * 3600 * CO4_SEC);
    int now = (int)((co4_now() - began) / (24 * 3600 * CO4_SEC));
    days = now > days ? now : days;
    ended++;
    return CO4_OK;
}

static co4_runtime *simulated(co4_test_options *o, int workers)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers, .test = o });
    co4_runtime_start(rt);
    return rt;
}

static void drive(void)
{
    co4_test_options o = { .seed = 21, .late = 3, .late_steps = 5 };
    co4_test_result by_join, by_hand;
    co4_runtime *rt = simulated(&o, 4);
    for (int i = 0; i < 8; i++)
        co4_runtime_spawn(rt, sleeper(i));
    co4_runtime_join(rt);
    printf("by join: %d tasks, %d days\n", ended, days);
    co4_test_result_of(rt, &by_join);
    co4_runtime_destroy(rt);

    ended = 0;
    rt = simulated(&o, 4);
    for (int i = 0; i < 8; i++)
        co4_runtime_spawn(rt, sleeper(i));
    while (co4_runtime_next_deadline(rt) != CO4_NEVER)
        co4_runtime_run_once(rt);
    co4_test_result_of(rt, &by_hand);
    printf("by hand: %d tasks, %s\n", ended,
           by_hand.digest == by_join.digest && by_hand.steps == by_join.steps ? "the same steps"
                                                                              : "other steps");
    co4_runtime_destroy(rt);
}

static pausable void take(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
    ended = -1;
}

static void dead(void)
{
    co4_test_options o = { .seed = 2 };
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = simulated(&o, 2);
    co4_runtime_spawn(rt, take(mb));
    printf("a deadlock: %s", co4_errname(co4_runtime_join(rt)));
    co4_mailbox_close(mb);
    co4_runtime_join(rt);
    printf(", then %s\n", ended == -1 ? "ended" : "?");
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

static pausable int inner(void)
{
    co4_sleep(3600 * CO4_SEC);
    return 42;
}

static int plain(void)
{
    return co4_run(inner());
}

static pausable void outer(int *out)
{
    co4_sleep(CO4_SEC);
    *out = plain();
}

static pausable int clocks(int *ticks)
{
    co4_ticker ticker;
    int timers = 0;
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, 0, 60 * CO4_SEC);
    for (uint64_t n; *ticks < 10; *ticks += (int)n)
        if (co4_await(co4_ticker_source(&ticker), &n) != CO4_OK)
            return -1;
    for (int i = 0; i < 3; i++) {
        co4_timer timer;
        co4_timer_init(&timer);
        co4_timer_start(&timer, co4_now() + 3600 * CO4_SEC);
        timers += co4_await_until(co4_timer_source(&timer), NULL, co4_now() + 7200 * CO4_SEC) ==
                  CO4_OK;
    }
    return timers;
}

static pausable int exchange(co4_mailbox *from, co4_mailbox *to, int n)
{
    for (int i = 0, got; i < n; i++) {
        co4_mailbox_send(to, &i);
        co4_mailbox_receive(from, &got);
        ended++;
    }
    return CO4_OK;
}

static pausable int family(void *mb)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, exchange(mb, mb, 3));
    co4_scope_spawn(scope, sleeper(1));
    return CO4_OK;
}

static unsigned long long with_failure(long n)
{
    co4_test_result result = { 0 };
    if (co4_test_begin(&(co4_test_options){ .seed = 4 }) != CO4_OK)
        return 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_test_fail_alloc(n);
    co4_run(co4_scope_run(0, family(mb)));
    co4_test_fail_alloc(0);
    co4_mailbox_destroy(mb);
    co4_test_end(&result);
    return result.digest;
}

int main(void)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    drive();
    dead();

    int n = 0;
    co4_test_options o = { .seed = 3 };
    co4_runtime *rt = simulated(&o, 1);
    co4_runtime_spawn(rt, outer(&n));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("a run in a task: %d\n", n);

    co4_test_begin(&o);
    n = 0;
    int timers = co4_run(clocks(&n));
    printf("timers and tickers: %d ticks, %d timers\n", n, timers);
    co4_test_end(NULL);

    int same = 1;
    for (long i = 1; i < 40; i++)
        same &= with_failure(i) == with_failure(i);
    puts(same ? "whatever allocation fails, the same twice" : "they differ");

    ended = 0;
    co4_test_begin(&o);
    co4_mailbox *a = co4_mailbox_create(sizeof(int), 1), *b = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *one = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime *two = co4_runtime_create(NULL);
    co4_runtime_start(one);
    co4_runtime_start(two);
    co4_runtime_spawn(one, exchange(a, b, 50));
    co4_runtime_spawn(two, exchange(b, a, 50));
    co4_runtime_join(one);
    co4_runtime_join(two);
    printf("two runtimes talk: %d\n", ended);
    co4_runtime_destroy(one);
    co4_runtime_destroy(two);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
    co4_test_end(NULL);
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == alloc)
        puts("nothing is left");
    return 0;
}
