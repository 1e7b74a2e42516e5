/* future_combine - futures of futures: both, all, the first value, the first to end; others
 * cancelled or left; collectors.
 * modes: woven forced
 * expect: zip: no error 3 0.5; of what is done: no error 3 0.5
 * expect: zip fails: there is no room, the other was not cancelled; again: there is no room, the other was cancelled
 * expect: all: no error 1 2 3, one fails: there is no room
 * expect: alt: no error 2 of 1; all fail: closed, and nothing is left to take of 0
 * expect: first: there is no room of 1, 2 others cancelled
 * expect: cancelled: the task was cancelled, parts: the task was cancelled; without the flag: there is no message
 * expect: nested: no error 3 0.5 of 1
 * expect: released early: done 9
 * expect: by hand: not possible in this state
 * expect: arguments: refused
 * expect: collected: 10 20 30; failed: there is no room; closed, and nothing is left to take
 * expect: pending 2, in time: the deadline has passed, busy: still in use, then gone: no error
 * expect: out of memory: nothing happened
 * expect: nothing is left */
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

struct pair {
    int left;
    double right;
};

static int cancelled_tasks;

static pausable int after(int ms, int n)
{
    if (co4_sleep(ms * CO4_MS) != CO4_OK)
        cancelled_tasks++;
    return n;
}

static pausable double half_after(int ms)
{
    co4_sleep(ms * CO4_MS);
    return 0.5;
}

static pausable void complete_later(co4_future *f, int n)
{
    co4_sleep(CO4_MS);
    co4_future_complete(f, &n);
}

static pausable void fail_later(co4_future *f)
{
    co4_sleep(CO4_MS);
    co4_future_fail(f, CO4_EFULL);
}

static pausable void zips(void)
{
    struct pair p = { 0, 0 };
    co4_future *a = co4_async(after(2, 3)), *b = co4_async(half_after(1));
    co4_future *both = CO4_FUTURE_ZIP(struct pair, a, left, b, right, 0);
    int err = co4_future_await(both, &p);
    printf("zip: %s %d %.1f; ", co4_strerror(err), p.left, p.right);
    co4_future_release(both);
    both = CO4_FUTURE_ZIP(struct pair, a, left, b, right, CO4_FUTURE_CANCEL);
    p = (struct pair){ 0, 0 };
    err = co4_future_await_until(both, &p, CO4_NOW);
    printf("of what is done: %s %d %.1f\n", co4_strerror(err), p.left, p.right);
    co4_future_release(both);
    co4_future_release(a);
    co4_future_release(b);

    printf("zip fails: ");
    for (int flags = 0; flags <= CO4_FUTURE_CANCEL; flags++) {
        a = co4_async(after(flags ? 60000 : 5, 3));
        b = co4_future_create(sizeof(double));
        cancelled_tasks = 0;
        both = CO4_FUTURE_ZIP(struct pair, a, left, b, right, flags);
        co4_spawn(fail_later(b));
        err = co4_future_await(both, &p);
        co4_future_await(a, NULL);
        printf("%s, the other was %scancelled%s", co4_strerror(err), cancelled_tasks ? "" : "not ",
               flags ? "\n" : "; again: ");
        co4_future_release(both);
        co4_future_release(a);
        co4_future_release(b);
    }
}

static void release_all(co4_future **f, int n)
{
    for (int i = 0; i < n; i++)
        co4_future_release(f[i]);
}

static pausable void many(void)
{
    int v[3] = { 0, 0, 0 }, n = 0;
    co4_future *f[3] = { co4_async(after(3, 1)), co4_async(after(1, 2)), co4_async(after(2, 3)) };
    co4_future *whole = co4_future_all(f, 3, 0);
    int err = co4_future_await(whole, &v);
    printf("all: %s %d %d %d, ", co4_strerror(err), v[0], v[1], v[2]);
    co4_future_release(whole);
    release_all(f, 3);
    for (int i = 0; i < 3; i++)
        f[i] = co4_future_create(sizeof(int));
    whole = co4_future_all(f, 3, 0);
    co4_future_complete(f[0], &n);
    co4_future_fail(f[2], CO4_EFULL);
    printf("one fails: %s\n", co4_strerror(co4_future_await(whole, &v)));
    co4_future_release(whole);
    release_all(f, 3);

    for (int i = 0; i < 3; i++)
        f[i] = co4_future_create(sizeof(int));
    whole = co4_future_alt(f, 3, 0);
    co4_future_fail(f[0], CO4_EFULL);
    co4_spawn(complete_later(f[1], 2));
    err = co4_future_await(whole, &n);
    printf("alt: %s %d of %d; ", co4_strerror(err), n, co4_future_winner(whole));
    co4_future_release(whole);
    release_all(f, 3);
    for (int i = 0; i < 3; i++)
        f[i] = co4_future_create(sizeof(int));
    whole = co4_future_alt(f, 3, CO4_FUTURE_CANCEL);
    co4_future_fail(f[1], CO4_EFULL);
    co4_future_fail(f[2], CO4_EEMPTY);
    co4_future_fail(f[0], CO4_ECLOSED);
    err = co4_future_await(whole, &n);
    printf("all fail: %s of %d\n", co4_strerror(err), co4_future_winner(whole));
    co4_future_release(whole);
    release_all(f, 3);

    cancelled_tasks = 0;
    f[0] = co4_async(after(60000, 1));
    f[1] = co4_future_create(sizeof(int));
    f[2] = co4_async(after(60000, 1));
    whole = co4_future_first(f, 3, CO4_FUTURE_CANCEL);
    co4_spawn(fail_later(f[1]));
    err = co4_future_await(whole, &n);
    co4_future_await(f[0], NULL);
    co4_future_await(f[2], NULL);
    printf("first: %s of %d, %d others cancelled\n", co4_strerror(err), co4_future_winner(whole),
           cancelled_tasks);
    co4_future_release(whole);
    release_all(f, 3);
}

static pausable void cancelling(void)
{
    struct pair p = { 0, 0 };
    int n = 0;
    co4_future *f[2] = { co4_future_create(sizeof n), co4_future_create(sizeof n) };
    co4_future *whole = co4_future_all(f, 2, CO4_FUTURE_CANCEL);
    co4_future_cancel(whole, 0);
    printf("cancelled: %s, ", co4_strerror(co4_future_await(whole, NULL)));
    printf("parts: %s; ", co4_strerror(co4_future_await_until(f[1], &n, CO4_NOW)));
    co4_future_release(whole);
    release_all(f, 2);
    for (int i = 0; i < 2; i++)
        f[i] = co4_future_create(sizeof n);
    whole = co4_future_all(f, 2, 0);
    co4_future_cancel(whole, 0);
    printf("without the flag: %s\n", co4_strerror(co4_future_await_until(f[1], &n, CO4_NOW)));
    co4_future_release(whole);
    release_all(f, 2);

    co4_future *never = co4_future_create(sizeof p);
    co4_future *a = co4_async(after(1, 3)), *b = co4_async(half_after(2));
    co4_future *both = CO4_FUTURE_ZIP(struct pair, a, left, b, right, 0);
    co4_future *two[] = { never, both };
    co4_future *alt = co4_future_alt(two, 2, CO4_FUTURE_CANCEL);
    release_all((co4_future *[]){ a, b, both }, 3);
    int err = co4_future_await(alt, &p);
    printf("nested: %s %d %.1f of %d\n", co4_strerror(err), p.left, p.right,
           co4_future_winner(alt));
    co4_future_release(alt);
    co4_future_release(never);

    co4_future *one = co4_future_create(sizeof n);
    whole = co4_future_first(&one, 1, 0);
    co4_future_release(whole);
    co4_future_complete(one, &(int){ 9 });
    must(co4_future_await_until(one, &n, CO4_NOW));
    printf("released early: done %d\n", n);
    whole = co4_future_first(&one, 1, 0);
    printf("by hand: %s\n", co4_strerror(co4_future_complete(whole, &n)));
    bool refused = co4_future_fail(whole, CO4_EFULL) == CO4_ESTATE &&
                   co4_future_on_cancel(whole, NULL, NULL) == CO4_ESTATE &&
                   !co4_future_all(NULL, 1, 0) && !co4_future_all(&one, 0, 0) &&
                   !co4_future_all(&one, 1, 2) && !co4_future_zip(one, 0, NULL, 4, 8, 0) &&
                   !co4_future_zip(one, 6, one, 0, 8, 0) && co4_future_winner(one) == -1 &&
                   co4_collector_add(NULL, one) == CO4_EINVAL && !co4_collector_source(NULL) &&
                   co4_collector_close(NULL) == CO4_EINVAL;
    printf("arguments: %s\n", refused ? "refused" : "taken");
    co4_future_release(whole);
    co4_future_release(one);
}

static pausable void wait_for_one(co4_collector *c)
{
    co4_future *f;
    co4_collector_next(c, &f);
}

static pausable void collecting(void)
{
    int n = 0, err;
    co4_future *f;
    co4_collector *c = co4_collector_create();
    co4_future *late[3] = { co4_async(after(40, 30)), co4_future_create(sizeof n),
                            co4_async(after(20, 20)) };
    for (int i = 0; i < 3; i++)
        must(co4_collector_add(c, late[i]));
    co4_future_complete(late[1], &(int){ 10 });
    release_all(late, 3);
    printf("collected:");
    for (int i = 0; i < 3; i++) {
        co4_collector_next(c, &f);
        must(co4_future_await_until(f, &n, CO4_NOW));
        printf(" %d", n);
        co4_future_release(f);
    }
    f = co4_future_create(0);
    co4_future_fail(f, CO4_EFULL);
    must(co4_collector_add(c, f));
    co4_future_release(f);
    co4_collector_close(c);
    co4_collector_next(c, &f);
    err = co4_future_await_until(f, NULL, CO4_NOW);
    co4_future_release(f);
    printf("; failed: %s; %s\n", co4_strerror(err), co4_strerror(co4_collector_next(c, &f)));
    co4_collector_destroy(c);

    c = co4_collector_create();
    co4_future *two[2] = { co4_future_create(0), co4_future_create(0) };
    for (int i = 0; i < 2; i++)
        must(co4_collector_add(c, two[i]));
    printf("pending %d, ", (int)co4_collector_pending(c));
    printf("in time: %s, ", co4_strerror(co4_collector_next_until(c, &f, co4_now() + CO4_MS)));
    co4_task *t = co4_task_create(wait_for_one(c));
    co4_runtime_schedule(NULL, t);
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    printf("busy: %s, ", co4_strerror(co4_collector_destroy(c)));
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    co4_future_complete(two[0], NULL); /* is in it, and goes with it */
    printf("then gone: %s\n", co4_strerror(co4_collector_destroy(c)));
    co4_future_complete(two[1], NULL);
    release_all(two, 2);
}

static void without_memory(void)
{
    int wrong = 0;
    co4_future *f[2] = { co4_future_create(4), co4_future_create(4) };
    co4_collector *c = co4_collector_create();
    for (int n = 1; n < 5; n++) {
        co4_test_fail_alloc(n);
        co4_future *whole = co4_future_all(f, 2, CO4_FUTURE_CANCEL);
        co4_test_fail_alloc(0);
        wrong += co4_future_await_until(f[0], NULL, CO4_NOW) != CO4_EEMPTY;
        co4_future_release(whole);
        if (whole) { /* it listens on, with a share of its own */
            co4_future_complete(f[0], &n);
            co4_future_complete(f[1], &n);
            release_all(f, 2);
            f[0] = co4_future_create(4);
            f[1] = co4_future_create(4);
        }
        size_t pending = co4_collector_pending(c);
        co4_test_fail_alloc(n);
        int err = co4_collector_add(c, f[0]);
        co4_test_fail_alloc(0);
        wrong += co4_collector_pending(c) != pending + (err == CO4_OK);
    }
    co4_collector_destroy(c);
    release_all(f, 2);
    printf("out of memory: %s\n", wrong ? "something happened" : "nothing happened");
}

int main(void)
{
    long long before = co4_test_pool_live();
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(zips());
    co4_run(many());
    co4_run(cancelling());
    co4_run(collecting());
    co4_test_end(NULL);
    without_memory();
    printf("%s is left\n", co4_test_pool_live() == before ? "nothing" : "something");
    return 0;
}
