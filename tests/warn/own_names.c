/* own_names.c - functions of the program that are called like the system's: no warnings. */
#include <co4.h>

static int poll(int n)
{
    return n;
}

unsigned sleep(unsigned seconds);
int read(int from);

pausable int work(int n);
pausable int work(int n)
{
    co4_yield();
    return poll(n) + (int)sleep(1) + read(2);
}
