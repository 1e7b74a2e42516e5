/* two_files - pausable functions that call each other across files, through a header.
 * expect: is_even(10) = 1
 * expect: is_even(7) = 0 */
#include "parity.h"

#include <co4.h>
#include <stdio.h>

pausable int is_even(int n)
{
    co4_yield();
    return n == 0 ? 1 : is_odd(n - 1);
}

int main(void)
{
    printf("is_even(10) = %d\n", co4_run(is_even(10)));
    printf("is_even(7) = %d\n", co4_run(is_even(7)));
    return 0;
}
