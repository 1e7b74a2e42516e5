/* variable_lengths_given_up.c - arrays of computed length are given back: at the end of a scope,
 * when a paused generator is closed, and when memory runs out, together with cleanup handlers.
 * modes: woven forced
 * expect: 6 8
 * expect: closed, leaked 0
 * expect: sum 45, leaked 0
 * expect: failing: none leaked, none left open, some failed */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static int open_things;

static void close_one(int *n)
{
    open_things -= *n;
}

static pausable void yields(int n)
{
    for (int i = 1; i <= n; i++) {
        int a[i + 2];
        a[i] = i * 2;
        co4_gen_yield(&a[i]);
    }
}

static pausable int sums(int n)
{
    __attribute__((cleanup(close_one))) int thing = 1;
    open_things++;
    long large[n * 1000 + 1];
    large[n * 1000] = n;
    co4_yield();
    {
        __attribute__((cleanup(close_one))) int other = 10;
        open_things += 10;
        int small[n + 1][2];
        small[n][1] = n > 0 ? sums(n - 1) : 0;
        co4_yield();
        return small[n][1] + (int)large[n * 1000] + thing + other - 11;
    }
}

int main(void)
{
    int value;
    long long before = co4_test_pool_live();
    co4_gen *g = co4_generate(yields(9));
    for (int i = 0; i < 4; i++)
        if (co4_gen_next(g, &value) == CO4_OK && i > 1)
            printf(i == 2 ? "%d " : "%d\n", value);
    co4_gen_destroy(g);
    printf("closed, leaked %lld\n", co4_test_pool_live() - before);
    int sum = co4_run(sums(9));
    printf("sum %d, leaked %lld\n", sum, co4_test_pool_live() - before);
    int failed = 0, leaked = 0, left_open = 0;
    for (long n = 1, left = 0; left == 0; n++) {
        co4_test_fail_alloc(n);
        co4_run(sums(5));
        left = co4_test_fail_alloc(0);
        failed += co4_run_error() == CO4_ENOMEM;
        leaked += co4_test_pool_live() != before;
        left_open += open_things != 0;
    }
    printf("failing: %s leaked, %s left open, %s failed\n", leaked ? "some" : "none",
           left_open ? "some" : "none", failed > 8 ? "some" : "few");
    return 0;
}
