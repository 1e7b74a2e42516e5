/* main.c - half of a patch has been applied: each function is marked in one of its places. The
 * header has a function that is declared through a typedef which has its mark already.
 * infer: +pausable int low(int n);
 * infer: +pausable int high(int n)
 * infer: +pausable_or_plain int both(int n);
 * expect: 5 7 */
#include "parts.h"
#include <stdio.h>

int high(int n)
{
    return low(n) + through(n);
}

pausable_or_plain int both(int n)
{
    return low(n);
}

static int middle(int n)
{
    return low(n) + 1;
}

int through(int n)
{
    return middle(n);
}

int main(void)
{
    printf("%d %d\n", high(1), both(6));
    return 0;
}
