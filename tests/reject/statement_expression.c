/* statement_expression.c - a suspension point inside a statement expression. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    return ({ int m = wait_for(n); m + 1; }); /* error: a suspension point inside a statement expression is not woven */ /* hint: make it a pausable function */
}
