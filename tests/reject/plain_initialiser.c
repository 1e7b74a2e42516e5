/* plain_initialiser.c - a pausable function called where a plain function's locals get their values, and in its sub-expressions. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int helper(int n);

int helper(int n)
{
    int a = wait_for(n),            /* error: 'wait_for' is pausable and may not be called from 'helper' */
        b[2] = { 0, wait_for(a) };  /* error: 'wait_for' is pausable and may not be called from 'helper' */
    for (int i = 0; i < n && wait_for(i); i++) /* error: 'wait_for' is pausable and may not be called from 'helper' */
        b[0] += i;
    return b[0] + b[1];
}
