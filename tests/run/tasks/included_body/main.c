/* included_body - a pausable function in a file that is included twice, with its names made by
 * macros.
 * expect: 6 0.75 */
#include <co4.h>
#include <stdio.h>

#define TYPE int
#define NAME sum_int
#include "sum.inc"
#undef TYPE
#undef NAME
#define TYPE double
#define NAME sum_double
#include "sum.inc"

static pausable void work(void)
{
    int n[] = { 1, 2, 3 };
    double d[] = { 0.5, 0.25 };
    printf("%d %.2f\n", sum_int(n, 3), sum_double(d, 2));
}

int main(void)
{
    co4_run(work());
    return 0;
}
