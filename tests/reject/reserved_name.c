/* reserved_name.c - names that belong to woven code. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int co4); /* the definition is what counts */

pausable int work(int co4) /* error: 'co4': names that begin with co4_, and co4 itself, belong to woven code */ /* hint: choose another name */
{
    return wait_for(co4);
}
