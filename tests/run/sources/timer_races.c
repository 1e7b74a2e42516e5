/* timer_races - tasks of several workers wait for the same timers and tickers, in selects with
 * mailboxes and deadlines, while others, and a thread that blocks, start and stop them: every wait
 * ends, and every tick is given once.
 * modes: woven forced
 * expect: all waits have ended, every tick was given once
 * expect: started from elsewhere: by a thread no error, by a task no error */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAITERS = 6, ROUNDS = 300 };

static co4_timer timer;
static co4_ticker ticker;
static co4_mailbox *mb;
static atomic_llong ticks;
static atomic_int waiting = WAITERS;

static pausable void wait_often(int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        int got;
        uint64_t n = 0;
        co4_case cases[] = { CO4_CASE(co4_timer_source(&timer), NULL),
                             CO4_CASE(co4_ticker_source(&ticker), &n),
                             CO4_CASE(co4_mailbox_source(mb), &got) };
        int64_t deadline = self % 2 ? CO4_NEVER : co4_now() + 50 * CO4_US;
        if (co4_select_until(cases, 3, 0, deadline) == 1)
            atomic_fetch_add(&ticks, (long long)n);
    }
    atomic_fetch_sub(&waiting, 1);
}

static pausable void start_often(void)
{
    for (int i = 0; atomic_load(&waiting) > 0; i++) {
        co4_timer_start(&timer, co4_now() + (i % 3 - 1) * 20 * CO4_US);
        if (i % 8 == 0)
            co4_timer_stop(&timer);
        int put = co4_mailbox_send_until(mb, &i, CO4_NOW);
        if (put != CO4_OK && put != CO4_EFULL)
            abort();
        if (i % 4 == 0)
            co4_sleep(5 * CO4_US);
        else
            co4_yield();
    }
}

static pausable int wait_for_timer(co4_timer *t)
{
    return co4_await(co4_timer_source(t), NULL);
}

static pausable void start_soon(co4_timer *t)
{
    co4_sleep(5 * CO4_MS);
    co4_timer_start(t, co4_now() + CO4_MS);
}

static pausable void await_it(co4_timer *t, atomic_int *err)
{
    atomic_store(err, wait_for_timer(t));
}

/* A waiter sleeps for good, or for an hour, and has to be notified. */
static void from_elsewhere(void)
{
    atomic_int err = 1;
    co4_timer_init(&timer);
    co4_timer_start(&timer, co4_now() + 3600 * CO4_SEC);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_spawn(rt, await_it(&timer, &err));
    co4_runtime_start(rt);
    co4_block(co4_await_until(co4_timer_source(&timer), NULL, co4_now() + 5 * CO4_MS));
    co4_timer_start(&timer, co4_now() + CO4_MS);
    co4_runtime_join(rt);
    printf("started from elsewhere: by a thread %s, ", co4_strerror(err));
    co4_timer_stop(&timer);
    co4_timer_start(&timer, co4_now() + 3600 * CO4_SEC);
    co4_runtime_spawn(rt, start_soon(&timer));
    printf("by a task %s\n", co4_strerror(co4_block(co4_await(co4_timer_source(&timer), NULL))));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_timer_destroy(&timer);
}

int main(void)
{
    int64_t first = co4_now(), period = 10 * CO4_US;
    mb = co4_mailbox_create(sizeof(int), 2);
    co4_timer_init(&timer);
    co4_ticker_init(&ticker);
    co4_ticker_start(&ticker, first, period);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    for (int i = 0; i < WAITERS; i++)
        co4_runtime_spawn(rt, wait_often(i));
    co4_runtime_spawn(rt, start_often());
    co4_runtime_start(rt);
    while (co4_runtime_tasks(rt) > 0) {
        uint64_t n = 0;
        if (co4_block(co4_await_until(co4_ticker_source(&ticker), &n, co4_now() + CO4_MS)) ==
            CO4_OK)
            atomic_fetch_add(&ticks, (long long)n);
    }
    long long given = (co4_ticker_deadline(&ticker) - first) / period;
    int clear = co4_timer_destroy(&timer) == CO4_OK && co4_ticker_destroy(&ticker) == CO4_OK;
    if (clear && atomic_load(&waiting) == 0 && atomic_load(&ticks) == given)
        puts("all waits have ended, every tick was given once");
    else
        printf("%d wait, %lld ticks of %lld\n", atomic_load(&waiting), (long long)ticks, given);
    co4_mailbox_destroy(mb);
    co4_runtime_join(rt);
    int err = co4_runtime_destroy(rt);
    from_elsewhere();
    return err != CO4_OK;
}
