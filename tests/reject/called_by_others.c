/* called_by_others.c - attributes by which others than woven code would call a pausable function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

__attribute__((constructor)) static pausable void start(void) /* error: 'start' is pausable and cannot have the attribute 'constructor' */ /* hint: give the attribute to a plain function that enters it */
{
    wait_for(1);
}

pausable int real(int n);
pausable int real(int n)
{
    return wait_for(n);
}

pausable int other(int n) __attribute__((alias("real"))); /* error: 'other' is pausable and cannot have the attribute 'alias' */
