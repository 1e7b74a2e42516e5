/* generic_selection.c - a suspension point inside a _Generic selection. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    return _Generic(n, int: wait_for(n), default: 0); /* error: a suspension point inside a _Generic selection is not woven */ /* hint: give the value a variable of its own before this */
}
