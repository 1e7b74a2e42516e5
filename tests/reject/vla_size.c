/* vla_size.c - a point in the size of a variable-length array. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    int total = 0;
    {
        int values[wait_for(n)]; /* error: the variable-length array type of 'values' stands across */ /* error: a suspension point in the size of 'values' is not woven */ /* hint: compute the size before the declaration */
        values[0] = n;
        total += values[0];
    }
    return total;
}
