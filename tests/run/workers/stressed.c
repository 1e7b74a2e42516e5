/* stressed.c - --stress really pauses: calls return in all four states (abi.h), and the program
 * goes on as if they had not.
 * modes: woven
 * weave: --stress=3
 * expect: 17711 4950
 * expect: met met met met */
#include <co4.h>
#include <stdio.h>

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

int main(void)
{
    printf("%d %d\n", fib(22), sum(100));
    unsigned long long counts[4];
    co4_abi_state_counts(counts);
    for (int i = 0; i < 4; i++)
        printf("%s%s", i > 0 ? " " : "", counts[i] > 0 ? "met" : "never");
    printf("\n");
    return 0;
}
