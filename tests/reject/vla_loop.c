/* vla_loop.c - a variable-length array in a loop body that waits. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    int sum = 0;
    for (int i = 1; i < n; i++) {
        char text[i]; /* error: the variable-length array type of 'text' stands across a suspension point */
        text[0] = (char)wait_for(i);
        sum += text[0];
    }
    return sum;
}
