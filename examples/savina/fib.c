/* fib.c - a task for each call of a doubly recursive function.
 *
 *     fib [N]      22 when absent */
#include "savina.h"

static pausable long fib(long n)
{
    long a = 0, b = 0;
    if (n < 2)
        return n;
    co4_future *left = made(co4_async(fib(n - 1))), *right = made(co4_async(fib(n - 2)));
    must(co4_future_await(left, &a), "await");
    must(co4_future_await(right, &b), "await");
    co4_future_release(left);
    co4_future_release(right);
    return a + b;
}

static pausable void all(long n, long *result)
{
    *result = fib(n);
}

int main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 22, 0, 40), result = -1, a = 0, b = 1;
    ON_ALL_PROCESSORS(all(n, &result));
    for (long i = 0; i < n; i++) {
        long c = a + b;
        a = b;
        b = c;
    }
    printf("fib(%ld) = %ld\n", n, result);
    return result != a;
}
