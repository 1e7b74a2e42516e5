/* future_combine_races - futures of futures whose parts are completed on several workers at once,
 * while others cancel them, and collectors that several take from: each is done once, each future
 * is collected once, and nothing is left.
 * modes: woven forced
 * expect: all were done
 * expect: every future was collected once
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum { PARTS = 4, ROUNDS = 300, TASKS = 4, COLLECTED = 600 };

static atomic_int done, wrong, collected;
static atomic_long sum;

static pausable int part(int n, int yields)
{
    for (int i = 0; i < yields; i++)
        co4_yield();
    return n;
}

static pausable void complete(co4_future *f, int n)
{
    if (n % 3 == 0)
        co4_future_fail(f, CO4_EFULL);
    else
        co4_future_complete(f, &n);
    co4_future_release(f);
}

static pausable void cancel(co4_future *f)
{
    co4_future_cancel(f, 0);
    co4_future_release(f);
}

static pausable void combine_often(int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        int values[PARTS], mode = (i + self) % 3, flags = i % 2 ? CO4_FUTURE_CANCEL : 0;
        co4_future *f[PARTS];
        for (int p = 0; p < PARTS; p++) {
            if (p % 2) {
                f[p] = co4_async(part(p, i % 4));
            } else {
                f[p] = co4_future_create(sizeof(int));
                co4_spawn(complete(co4_future_retain(f[p]), i + p));
            }
        }
        co4_future *whole = mode == 0   ? co4_future_all(f, PARTS, flags)
                            : mode == 1 ? co4_future_alt(f, PARTS, flags)
                                        : co4_future_first(f, PARTS, flags);
        if (i % 5 == 0)
            co4_spawn(cancel(co4_future_retain(whole)));
        int err = co4_future_await(whole, values);
        if (err != co4_future_await_until(whole, values, CO4_NOW) ||
            (err == CO4_OK && mode == 0 && values[3] != 3))
            atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&done, 1);
        co4_future_release(whole);
        for (int p = 0; p < PARTS; p++)
            co4_future_release(f[p]);
    }
}

static pausable void collect(co4_collector *c)
{
    co4_future *f;
    int n;
    while (co4_collector_next(c, &f) == CO4_OK) {
        if (co4_future_await_until(f, &n, CO4_NOW) == CO4_OK)
            atomic_fetch_add(&sum, n);
        atomic_fetch_add(&collected, 1);
        co4_future_release(f);
    }
}

static pausable void add(co4_collector *c)
{
    for (int i = 0; i < COLLECTED; i++) {
        co4_future *f = co4_async(part(i, i % 3));
        must(co4_collector_add(c, f));
        co4_future_release(f);
    }
    co4_collector_close(c);
}

int main(void)
{
    long long before = co4_test_pool_live();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    for (int i = 0; i < TASKS; i++)
        co4_runtime_spawn(rt, combine_often(i));
    co4_runtime_join(rt);
    puts(done == TASKS * ROUNDS && wrong == 0 ? "all were done" : "some were not");
    co4_collector *c = co4_collector_create();
    co4_runtime_spawn(rt, add(c));
    for (int i = 0; i < 3; i++)
        co4_runtime_spawn(rt, collect(c));
    co4_runtime_join(rt);
    co4_collector_destroy(c);
    if (collected == COLLECTED && sum == COLLECTED * (COLLECTED - 1) / 2)
        puts("every future was collected once");
    else
        printf("%d collected, sum %ld\n", (int)collected, (long)sum);
    int err = co4_runtime_destroy(rt);
    printf("%s is left\n", co4_test_pool_live() == before ? "nothing" : "something");
    return err != CO4_OK;
}
