/* run_result.c - co4_run() gives the function's own result, in its own type.
 * expect: 55 2.5 pair(1, 2) hello */
#include <co4.h>
#include <stdio.h>

struct pair {
    int a, b;
};

static pausable long fib(int n)
{
    if (n < 2)
        return n;
    co4_yield();
    return fib(n - 1) + fib(n - 2);
}

static pausable double half(double x)
{
    co4_yield();
    return x / 2;
}

static pausable struct pair pair_of(int a, int b)
{
    struct pair p = { a, 0 };
    co4_yield();
    p.b = b;
    return p;
}

static pausable const char *greeting(void)
{
    co4_yield();
    return "hello";
}

int main(void)
{
    long f = co4_run(fib(10));
    double h = co4_run(half(5));
    struct pair p = co4_run(pair_of(1, 2));
    printf("%ld %.1f pair(%d, %d) %s\n", f, h, p.a, p.b, co4_run(greeting()));
    return 0;
}
