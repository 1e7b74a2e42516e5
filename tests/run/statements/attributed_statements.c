/* attributed_statements.c - suspension points in and beside statements with attributes, and loops
 * under pragmas.
 * flags: -Wno-unknown-pragmas
 * expect: fallthrough 3 2
 * expect: unrolled 6 6 3 3
 * expect: nested 12
 * expect: label 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int cases(int n)
{
    int sum = 0;
    switch (wait_for(n)) {
    case 1:
        sum += wait_for(1);
        __attribute__((fallthrough));
    case 2:
        sum += wait_for(2);
        break;
    case 3:
        sum = wait_for(9);
        /* fall through */
    default:
        sum += wait_for(0);
    }
    return sum;
}

static pausable void loops(int n)
{
    int a = 0, b = 0, c = 0, d = 0;
#pragma GCC unroll 4
    for (int i = 0; i < n; i++)
        a += wait_for(i);
#pragma GCC unroll 4
    for (int i = 0; i < wait_for(n); i++)
        b += wait_for(i);
#pragma GCC ivdep
    while (c < wait_for(3))
        c++;
#pragma GCC ivdep

    do
        d++;
    while (d < wait_for(3));
    printf("unrolled %d %d %d %d\n", a, b, c, d);
    int sum = 0;
#pragma GCC unroll 2
    for (int i = 0; i < 3; i++)
#pragma GCC unroll 2
        for (int j = wait_for(0); j < 3; j += wait_for(1)) {
            if (j == 1)
                continue;
            sum += wait_for(2);
        }
    printf("nested %d\n", sum);
}

static pausable int labelled(int n)
{
    if (wait_for(n) == 5)
        goto out;
    n = 0;
out:
    __attribute__((unused));
    return n;
}

static pausable int all(void)
{
    printf("fallthrough %d", cases(1));
    printf(" %d\n", cases(2));
    loops(4);
    printf("label %d\n", labelled(5));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
