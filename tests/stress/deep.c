/* deep.c - recursion as deep as a C stack takes it, and code that runs by its places a million
 * times. */
#include <stdio.h>

static int depth(int n)
{
    return n == 0 ? 0 : 1 + depth(n - 1);
}

static int is_odd(unsigned n);
static int is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}
static int is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned long sieve(int limit)
{
    static unsigned char composite[200000];
    unsigned long sum = 0;
    for (int i = 2; i < limit; i++) {
        if (composite[i])
            continue;
        sum += (unsigned long)i;
        for (int j = 2 * i; j < limit; j += i)
            composite[j] = 1;
    }
    return sum;
}

int main(void)
{
    printf("%d %d %d\n", depth(30000), is_even(20000), fib(24));
    printf("%lu\n", sieve(200000));
    return 0;
}
