/* no_include.c - marks in a file that does not include the header which defines them.
 * infer: +#include <co4/mark.h>
 * infer: +pausable int twice(int n)
 * infer: +pausable_or_plain int main(void)
 * expect: 8 */
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
