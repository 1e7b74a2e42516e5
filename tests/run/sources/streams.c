/* streams - values pulled through stages that pause: from a generator and from a function, to their
 * ends, cut short, failing, and out of memory in the middle of being made.
 * expect: squares of odd ones: 1 9 25 49 81, then closed, and nothing is left to take
 * expect: lazy: 3 taken, 3 made, stopped 1
 * expect: ended by a stage: 0 1 2 3, stopped 1
 * expect: an error goes through: 0 the deadline has passed 2
 * expect: collected 5: 0 1 2 3 4; into a small one: there is no room 2, then no error, 2 more
 * expect: each: sum 10, stopped at 3 there is no room
 * expect: wide 9.5 4, thrown away, wide 11.5 6
 * expect: wrong: an argument is not acceptable none none none an argument is not acceptable
 * expect: out of memory: nothing is left after 4 attempts, then 6 8
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static const char *text(int code)
{
    return co4_strerror(code);
}

static pausable void count(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&i);
}

static co4_stream *numbers(int n)
{
    return co4_stream_of(sizeof(int), count(n));
}

struct counter {
    int made, stopped, fail_at;
};

static pausable int make(void *arg, void *out)
{
    struct counter *c = arg;
    co4_yield();
    int n = c->made++;
    if (n == c->fail_at)
        return CO4_ETIMEDOUT;
    *(int *)out = n;
    return CO4_OK;
}

static void stop(void *arg)
{
    ((struct counter *)arg)->stopped++;
}

static pausable int is_odd(void *arg, const void *value)
{
    (void)arg;
    co4_yield();
    return *(const int *)value % 2;
}

static pausable int square(void *arg, const void *value, void *out)
{
    int n = *(const int *)value;
    (void)arg;
    co4_yield();
    *(int *)out = n * n;
    return CO4_OK;
}

static pausable int up_to(void *arg, const void *value)
{
    return *(const int *)value <= *(int *)arg ? 1 : CO4_ECLOSED;
}

struct wide {
    long double half;
    long n[20];
};

static pausable int widen(void *arg, const void *value, void *out)
{
    struct wide *w = out;
    int n = *(const int *)value;
    co4_yield();
    w->half = n + *(double *)arg;
    w->n[19] = n;
    return CO4_OK;
}

static pausable int add(void *arg, const void *value)
{
    int n = *(const int *)value;
    co4_yield();
    *(int *)arg += n;
    return n == 3 && *(int *)arg > 100 ? CO4_EFULL : CO4_OK;
}

static pausable void print_all(co4_stream *s)
{
    int v;
    while (co4_stream_next(s, &v) == CO4_OK)
        printf(" %d", v);
}

static pausable void stages(void)
{
    int v, err, limit = 3;
    co4_stream *s = co4_stream_map(co4_stream_filter(numbers(10), is_odd, NULL), sizeof(int),
                                   square, NULL);
    printf("squares of odd ones:");
    print_all(s);
    printf(", then %s\n", text(co4_stream_next(s, &v)));
    co4_stream_destroy(s);

    struct counter c = { 0, 0, -1 };
    s = co4_stream_take(co4_stream_of_producer(sizeof(int), make, stop, &c), 3);
    for (v = 0; co4_stream_next(s, NULL) == CO4_OK; v++)
        ;
    printf("lazy: %d taken, %d made, stopped %d\n", v, c.made, c.stopped);
    co4_stream_destroy(s);

    c = (struct counter){ 0, 0, -1 };
    s = co4_stream_filter(co4_stream_of_producer(sizeof(int), make, stop, &c), up_to, &limit);
    printf("ended by a stage:");
    print_all(s);
    printf(", stopped %d\n", c.stopped);
    co4_stream_destroy(s);

    c = (struct counter){ 0, 0, 1 };
    s = co4_stream_map(co4_stream_of_producer(sizeof(int), make, stop, &c), sizeof(int), square,
                       NULL);
    co4_stream_next(s, &v);
    err = co4_stream_next(s, NULL);
    printf("an error goes through: %d %s", v, text(err));
    co4_stream_next(s, &v);
    printf(" %d\n", v / 2);
    co4_stream_destroy(s);
}

static pausable void uses(void)
{
    co4_ring ring;
    int memory[2], sum = 0, err;
    co4_ring_init(&ring, sizeof(int), 100);
    co4_stream *s = numbers(5);
    co4_stream_collect(s, &ring);
    printf("collected %zu:", co4_ring_len(&ring));
    for (int v; co4_ring_pop(&ring, &v) == CO4_OK;)
        printf(" %d", v);
    co4_ring_destroy(&ring);
    co4_stream_destroy(s);
    s = numbers(4);
    co4_ring_init_in(&ring, sizeof(int), memory, sizeof memory);
    err = co4_stream_collect(s, &ring);
    printf("; into a small one: %s %zu", text(err), co4_ring_len(&ring));
    co4_ring_destroy(&ring);
    co4_ring_init(&ring, sizeof(int), 100);
    err = co4_stream_collect(s, &ring);
    printf(", then %s, %zu more\n", text(err), co4_ring_len(&ring));
    co4_stream_destroy(s);

    s = numbers(5);
    err = co4_stream_each(s, add, &sum);
    printf("each: sum %d, ", sum);
    co4_stream_destroy(s);
    s = numbers(5);
    sum = 100;
    err = co4_stream_each(s, add, &sum);
    printf("stopped at %d %s\n", sum - 103, text(err));
    co4_stream_destroy(s);

    double half = 5.5;
    struct wide w;
    s = co4_stream_map(numbers(9), sizeof w, widen, &half);
    for (int i = 0; i < 4; i++)
        co4_stream_next(s, NULL);
    co4_stream_next(s, &w);
    printf("wide %.1Lf %ld, thrown away", w.half, w.n[19]);
    co4_stream_next(s, NULL);
    co4_stream_next(s, &w);
    printf(", wide %.1Lf %ld\n", w.half, w.n[19]);
    printf("wrong: %s", text(co4_stream_next(NULL, &w)));
    printf(" %s", co4_stream_of_gen(NULL, 4) ? "one" : "none");
    printf(" %s", co4_stream_map(numbers(1), 0, square, NULL) ? "one" : "none");
    printf(" %s", co4_stream_take(co4_stream_filter(numbers(1), NULL, NULL), 1) ? "one" : "none");
    printf(" %s\n", text(co4_stream_collect(s, &ring)));
    co4_ring_destroy(&ring);
    co4_stream_destroy(s);
}

static void no_memory(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    long attempts = 0;
    struct counter c;
    co4_stream *s;
    do {
        c = (struct counter){ 3, 0, -1 };
        co4_test_fail_alloc(++attempts);
        s = co4_stream_of_producer(sizeof(int), make, NULL, &c);
        s = co4_stream_take(co4_stream_filter(s, up_to, &attempts), 1);
        co4_test_fail_alloc(0);
        if (!s && (co4_test_pool_live() != pool || co4_test_alloc_live() != blocks))
            printf("something is left, ");
    } while (!s);
    co4_stream_destroy(s);
    printf("out of memory: nothing is left after %ld attempts, then", attempts);
    fflush(stdout);
}

static pausable void two_more(void)
{
    struct counter c = { 3, 0, -1 };
    co4_stream *s = co4_stream_of_producer(sizeof(int), make, NULL, &c);
    int v;
    co4_stream_next(s, &v);
    printf(" %d", 2 * v);
    co4_stream_next(s, &v);
    printf(" %d\n", 2 * v);
    co4_stream_close(s);
    co4_stream_destroy(s);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(stages());
    co4_run(uses());
    no_memory();
    co4_run(two_more());
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
