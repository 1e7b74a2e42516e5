/* sized_parameters.c - parameters that are written as arrays of computed length are pointers, also
 * to a sanitizer.
 * flags: -Wno-unknown-warning-option -Wno-sizeof-array-argument -Wno-stringop-overread
 * expect: 13 12 24 9 7 5 */
#include <co4.h>

#include <stdio.h>

typedef pausable int step(int n);

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int sum(int n, int a[n])
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += a[i] + wait_for(i);
    return all;
}

static pausable int qualified(int n, const int a[static const restrict n])
{
    return wait_for(n) + a[0] + (int)(sizeof a / sizeof(void *));
}

static pausable int rows(int n, int m, int a[n][m])
{
    return wait_for(n) * a[1][1] + (int)(sizeof *a / sizeof(int));
}

static pausable int steps(int n, step *a[n], int (*const plain[n + 1])(int))
{
    return a[0](n) + wait_for(1) + plain[n](5);
}

static pausable_or_plain int mixed(int n, volatile char a[n])
{
    a[0]++;
    return wait_for(n) + a[0];
}

static int plain(int n)
{
    return n + 1;
}

static pausable int last(int n, int m, int a[m > n ? m : n])
{
    a += wait_for(1);
    return a[0] + m - n;
}

int main(void)
{
    int a[] = { 1, 2, 7 }, b[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    step *list[] = { wait_for, wait_for };
    int (*const plains[])(int) = { plain, plain, plain };
    char c[] = { 4, 1 };
    printf("%d ", co4_run(sum(3, a)));
    printf("%d ", co4_run(qualified(10, a)));
    printf("%d ", co4_run(rows(2, 3, b)) + 11);
    printf("%d ", co4_run(steps(2, list, plains)));
    printf("%d ", mixed(2, c));
    printf("%d\n", co4_run(last(0, 3, a)));
    return 0;
}
