/* futures - values that come later: of calls, also wide and void ones, and completed by a program.
 * modes: woven forced
 * expect: small 42, wide 1 2 3 4, void done: no error no error no error
 * expect: again 42, two waiters: 7 7
 * expect: cancelled: the task was cancelled, with value -2007
 * expect: promised: no error 5, then not possible in this state
 * expect: failed: closed, and nothing is left to take
 * expect: cancel hook: freed, the task was cancelled
 * expect: select: 1, 11
 * expect: delayed: there is no message, then 42, started twice: not possible in this state
 * expect: wrong: an argument is not acceptable an argument is not acceptable not possible in this state
 * expect: deferred: second first, the end
 * expect: a thread waits: no error 42, at once no error 42, the deadline has passed, waiting here could never end */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

struct wide {
    long a[4];
};

static pausable int small(void)
{
    co4_yield();
    return 42;
}

static pausable struct wide wide(int from)
{
    struct wide w;
    for (int i = 0; i < 4; i++) {
        co4_yield();
        w.a[i] = from + i;
    }
    return w;
}

static pausable void nothing(void)
{
    co4_yield();
}

static pausable int forever(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static pausable int after(int ms, int value)
{
    co4_sleep(ms * CO4_MS);
    return value;
}

static pausable void waiter(co4_future *f, int *out)
{
    co4_future_await(f, out);
}

static void hook(void *arg, co4_future *future)
{
    (void)future;
    *(const char **)arg = "freed";
}

static void note(void *arg)
{
    printf(" %s", (const char *)arg);
}

static pausable void defers(void)
{
    static char never[] = "never"; /* one address: two literals may have two */
    must(co4_defer(note, "first"));
    must(co4_defer(note, never));
    must(co4_defer(note, "second"));
    co4_undefer(note, never);
    co4_yield();
    printf("deferred:");
}

static pausable void work(void)
{
    int n = 0;
    struct wide w = { { 0 } };
    co4_future *a = co4_async(small()), *b = co4_async(wide(1)), *c = co4_async(nothing());
    int ea = co4_future_await(a, &n), eb = co4_future_await(b, &w), ec = co4_future_await(c, NULL);
    printf("small %d, wide %ld %ld %ld %ld, void done: %s %s %s\n", n, w.a[0], w.a[1], w.a[2],
           w.a[3], co4_strerror(ea), co4_strerror(eb), co4_strerror(ec));
    n = 0;
    must(co4_future_await_until(a, &n, CO4_NOW));
    co4_future_release(a);
    co4_future_release(b);
    co4_future_release(c);

    co4_future *promise = co4_future_create(sizeof n);
    int x = 0, y = 0;
    co4_future *wx = co4_async(waiter(promise, &x)), *wy = co4_async(waiter(promise, &y));
    co4_yield();
    co4_future_complete(promise, &(int){ 7 });
    co4_future_await(wx, NULL);
    co4_future_await(wy, NULL);
    printf("again %d, two waiters: %d %d\n", n, x, y);
    co4_future_release(wx);
    co4_future_release(wy);
    co4_future_release(promise);

    a = co4_async(forever());
    co4_yield();
    co4_future_cancel(a, 0);
    int err = co4_future_await(a, &n);
    printf("cancelled: %s, with value %d\n", co4_strerror(err), n);
    co4_future_release(a);

    promise = co4_future_create(sizeof n);
    co4_future_complete(promise, &(int){ 5 });
    err = co4_future_await(promise, &n);
    printf("promised: %s %d, then %s\n", co4_strerror(err), n,
           co4_strerror(co4_future_fail(promise, CO4_ECLOSED)));
    co4_future_release(promise);
    promise = co4_future_create(0);
    co4_future_fail(promise, CO4_ECLOSED);
    printf("failed: %s\n", co4_strerror(co4_future_await(promise, NULL)));
    co4_future_release(promise);
    const char *said = "?";
    promise = co4_future_create(0);
    must(co4_future_on_cancel(promise, hook, &said));
    co4_future_cancel(promise, 0);
    printf("cancel hook: %s, %s\n", said, co4_strerror(co4_future_await(promise, NULL)));
    co4_future_release(promise);

    a = co4_async(after(3600000, 10));
    b = co4_async(after(1, 11));
    co4_case cases[] = { CO4_CASE(co4_future_source(a), &x), CO4_CASE(co4_future_source(b), &y) };
    int which = co4_select(cases, 2);
    printf("select: %d, %d\n", which, y);
    co4_future_cancel(a, 0);
    co4_future_release(a);
    co4_future_release(b);

    a = co4_future_of(co4_task_create(small()));
    co4_yield();
    err = co4_future_await_until(a, &n, CO4_NOW);
    co4_future_start(a);
    int twice = co4_future_start(a);
    co4_future_await(a, &n);
    printf("delayed: %s, then %d, started twice: %s\n", co4_strerror(err), n, co4_strerror(twice));
    co4_future_release(a);
    co4_future_release(co4_future_of(co4_task_create(small()))); /* never started */

    promise = co4_future_create(sizeof n);
    printf("wrong: %s %s %s\n", co4_strerror(co4_future_complete(promise, NULL)),
           co4_strerror(co4_future_fail(promise, 3)), co4_strerror(co4_future_start(promise)));
    co4_future_release(promise);

    a = co4_async(defers());
    co4_future_await(a, NULL);
    co4_future_release(a);
    printf(", the end\n");
}

static int block(co4_future *f)
{
    return co4_block(co4_future_await(f, NULL));
}

static pausable int blocks(co4_future *f)
{
    return block(f);
}

static void threads(void)
{
    int n = 0, again = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    co4_future *f = co4_async(small());
    int err = co4_block(co4_future_await(f, &n)), at_once = co4_block(co4_future_await(f, &again));
    co4_future *never = co4_future_create(0);
    int late = co4_block(co4_future_await_until(never, NULL, co4_now() + CO4_MS));
    printf("a thread waits: %s %d, at once %s %d, %s, %s\n", co4_strerror(err), n,
           co4_strerror(at_once), again, co4_strerror(late), co4_strerror(co4_run(blocks(never))));
    co4_future_release(f);
    co4_future_release(never);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
}

int main(void)
{
    co4_run(work());
    threads();
    if (co4_self() == NULL && co4_task_set_name(NULL, "x") != CO4_EINVAL)
        return 1;
    return 0;
}
