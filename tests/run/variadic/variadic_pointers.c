/* variadic_pointers.c - parameters that point to plain variadic functions, beside the function's
 * own dots and in place of them.
 * expect: 3 6
 * expect: 10 */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = 0;
    while (n-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static pausable int through(int (*add)(int n, ...), int a, int b)
{
    co4_yield();
    return add(2, a, b);
}

static pausable int both(int (*add)(int n, ...), int n /* of them ... */, ... /* and so on ... */)
{
    va_list list;
    va_start(list, n);
    int a = va_arg(list, int), b = va_arg(list, int);
    va_end(list);
    return through(add, a, b) + n;
}

static pausable int work(void)
{
    printf("%d ", through(sum, 1, 2));
    printf("%d\n", through(sum, 2, 4));
    return both(sum, 3, 3, 4);
}

int main(void)
{
    printf("%d\n", co4_run(work()));
    return 0;
}
