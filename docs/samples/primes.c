/* primes.c - a program that knows nothing of co4.
 * expect: 46 primes below 200, 12 of them end in 3 */
#include <stdio.h>

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

int main(void)
{
    int primes = 0, threes = 0;
    for (int n = 0; n < 200; n++)
        if (is_prime(n)) {
            primes++;
            threes += n % 10 == 3;
        }
    printf("%d primes below 200, %d of them end in 3\n", primes, threes);
    return 0;
}
