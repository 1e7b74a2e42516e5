/* mixed_by_typedef.c - functions for both worlds that are declared by a typedef of their type,
 * which has no mark.
 * expect: plain 3, woven 4
 * expect: rows 7 8
 * expect: 10 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

typedef int measure(int n);
typedef long (*row_of(int i))[2];

static pausable_or_plain measure next;
static pausable_or_plain measure twice, thrice;
pausable_or_plain row_of row;

static pausable_or_plain int next(int n)
{
    co4_yield();
    return n + 1;
}

static pausable_or_plain int twice(int n)
{
    return next(next(n));
}

static pausable_or_plain int thrice(int n)
{
    return next(twice(n));
}

pausable_or_plain long (*row(int i))[2]
{
    static long rows[2][2] = { { 5, 6 }, { 7, 8 } };
    co4_yield();
    return &rows[i];
}

static pausable int use(int n)
{
    long(*r)[2] = row(1);
    printf("rows %ld %ld\n", (*r)[0], (*r)[1]);
    return thrice(n) + next(n);
}

int main(void)
{
    measure *plain = twice;
    printf("plain %d, woven %d\n", plain(1), co4_run(thrice(1)));
    printf("%d\n", co4_run(use(3)));
    return 0;
}
