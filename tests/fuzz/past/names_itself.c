/* names_itself.c - an initializer that hands the variable, which has no value yet, to a pausable
 * function; the step in front of the declaration did not know its name. */
#include <co4.h>

static pausable int leaf(int n)
{
    co4_yield();
    return n;
}

pausable int first(void);
pausable int first(void)
{
    int value = leaf(value);
    return value;
}
