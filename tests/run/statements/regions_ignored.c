/* regions_ignored.c - a pragma of OpenMP where the compiler has no OpenMP: it says nothing, and
 * nothing is refused.
 * flags: -Wno-unknown-pragmas
 * expect: 6 */
#include <co4.h>
#include <stdio.h>

static pausable int sum(int n)
{
    int all = 0;
#pragma omp parallel for reduction(+ : all)
    for (int i = 1; i <= n; i++) {
        co4_yield();
        all += i;
    }
    return all;
}

int main(void)
{
    printf("%d\n", co4_run(sum(3)));
    return 0;
}
