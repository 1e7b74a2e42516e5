/* generator_no_memory.c - a generator for whose frames there is no memory says so, however often it
 * is asked, and gives back what it had.
 * modes: woven forced
 * expect: 1, then CO4_ENOMEM CO4_ENOMEM CO4_ENOMEM CO4_ENOMEM
 * expect: as much as before */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static pausable int deep(int n)
{
    int *kept = &n, m = n;
    if (n > 0)
        m += deep(n - 1);
    co4_gen_yield(&m);
    return *kept;
}

static pausable void numbers(void)
{
    int n = 1;
    co4_gen_yield(&n);
    n = deep(3);
    co4_gen_yield(&n);
}

int main(void)
{
    long long before = co4_test_pool_live();
    int n = 0;
    co4_gen *g = co4_generate(numbers());
    if (g == NULL || co4_gen_next(g, &n) != CO4_OK)
        return 1;
    printf("%d, then", n);
    co4_test_fail_alloc(-1);
    for (int i = 0; i < 2; i++)
        printf(" %s", co4_errname(co4_gen_next(g, &n)));
    co4_test_fail_alloc(0);
    printf(" %s", co4_errname(co4_gen_next(g, &n)));
    printf(" %s\n", co4_errname(co4_gen_has_more(g)));
    co4_gen_destroy(g);
    printf("%s\n", co4_test_pool_live() == before ? "as much as before" : "something is left");
    return 0;
}
