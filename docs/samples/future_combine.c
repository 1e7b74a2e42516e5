/* future_combine.c - two requests at once, and the faster of two mirrors.
 * modes: woven forced
 * expect: 3 and 0.5
 * expect: from mirror 1: 42
 * expect: 2 1 0 */
#include <co4.h>
#include <stdio.h>

struct answer {
    int count;
    double share;
};

static pausable int count(int ms)
{
    co4_sleep(ms * CO4_MS);
    return ms;
}

static pausable double share(void)
{
    co4_sleep(CO4_MS);
    return 0.5;
}

static pausable int fetch(int ms)
{
    return co4_sleep(ms * CO4_MS) == CO4_OK ? 42 : 0;
}

static pausable void both(void)
{
    struct answer a;
    co4_future *c = co4_async(count(3)), *s = co4_async(share());
    co4_future *both = CO4_FUTURE_ZIP(struct answer, c, count, s, share, CO4_FUTURE_CANCEL);
    if (co4_future_await(both, &a) == CO4_OK)
        printf("%d and %.1f\n", a.count, a.share);
    co4_future_release(both);
    co4_future_release(c);
    co4_future_release(s);
}

static pausable void faster(void)
{
    int value;
    co4_future *mirror[] = { co4_async(fetch(3600 * 1000)), co4_async(fetch(2)) };
    co4_future *first = co4_future_alt(mirror, 2, CO4_FUTURE_CANCEL); /* the other hears it */
    if (co4_future_await(first, &value) == CO4_OK)
        printf("from mirror %d: %d\n", co4_future_winner(first), value);
    co4_future_release(first);
    for (int i = 0; i < 2; i++)
        co4_future_release(mirror[i]);
}

static pausable int as_they_come(int i)
{
    for (int turns = 3 - i; turns > 0; turns--) /* the last one is the first to end */
        co4_yield();
    return i;
}

static pausable int collect(void)
{
    int err = CO4_OK;
    co4_collector *c = co4_collector_create();
    for (int i = 0; i < 3 && err == CO4_OK; i++) {
        co4_future *f = co4_async(as_they_come(i));
        err = co4_collector_add(c, f); /* also when there is none */
        co4_future_release(f);
    }
    co4_collector_close(c);
    co4_future *f;
    for (int i = 0, n; co4_collector_next(c, &f) == CO4_OK; i++) {
        if (co4_future_await_until(f, &n, CO4_NOW) == CO4_OK)
            printf(i < 2 ? "%d " : "%d\n", n);
        co4_future_release(f);
    }
    co4_collector_destroy(c);
    return err;
}

int main(void)
{
    co4_run(both());
    co4_run(faster());
    return co4_run(collect()) != CO4_OK;
}
