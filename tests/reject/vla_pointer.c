/* vla_pointer.c - a pointer to a variable-length array, and a typedef of one, across a point. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n, int (*grid)[n]); /* the definition is what counts */

pausable int work(int n, int (*grid)[n]) /* error: the variable-length array type of 'grid' stands across a suspension point */
{
    return wait_for(n) + grid[0][0];
}
