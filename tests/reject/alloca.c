/* alloca.c - memory of a C stack that a pause releases. */
#include <co4.h>
#include <alloca.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    char *bytes = alloca((unsigned)n); /* error: takes memory of a C stack that the pauses of 'work' release */ /* hint: malloc */
    bytes[0] = 1;
    return wait_for(n) + bytes[0];
}
