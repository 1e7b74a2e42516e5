/* variadic.c - a pausable function with variable arguments. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int sum(int n, ...);

pausable int sum(int n, ...) /* error: 'sum' is pausable and variadic, which is not woven */ /* hint: pass a struct */
{
    return wait_for(n);
}
