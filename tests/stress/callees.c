/* callees.c - a call chooses among functions that can be woven and others.
 * plain: twice thrice */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int twice(int n) __attribute__((const));
static int twice(int n)
{
    return 2 * n;
}

__attribute__((pure)) static int thrice(int n)
{
    return 3 * n;
}

static int next(int n)
{
    return n + 1;
}

static int before(int n)
{
    return n - 1;
}

static double scaled(int n, ...)
{
    va_list list;
    va_start(list, n);
    double by = 1;
    for (int i = next(0); i < 3; i++)
        by *= va_arg(list, double);
    va_end(list);
    return n * by;
}

static double through(double (*f)(int n, ...), int n)
{
    return f(n, 0.5, 3.0) + next(n);
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        printf("%d %d %d %d\n", (i % 2 ? next : twice)(i), (i > 1 ? thrice : next)(i),
               (i % 2 ? next : before)(i), (i ? i > 1 ? before : abs : next)(i));
    printf("%g\n", through(scaled, 4));
    return (0, next)(2) + (*before)(2);
}
