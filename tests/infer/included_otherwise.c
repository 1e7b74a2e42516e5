/* included_otherwise.c - mark.h is included, and no other header of co4: in a form of its own,
 * behind what needs no mark.
 * not: +#include
 * infer: +pausable int twice(int n)
 * infer: +pausable_or_plain int main(void)
 * expect: 8 */
#include "co4/mark.h" // the marks
#include <stdio.h>

pausable int co4_yield(void);

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

int twice(int n)
{
    return next(next(n));
}

int main(void)
{
    printf("%d\n", twice(6));
    return 0;
}
