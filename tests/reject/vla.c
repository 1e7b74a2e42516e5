/* vla.c - a variable-length array that stands across a pause. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    int values[n]; /* error: the variable-length array type of 'values' stands across a suspension point */ /* hint: malloc */
    for (int i = 0; i < n; i++)
        values[i] = i;
    return wait_for(n) + values[n - 1];
}
