/* static_chain.c - a builtin whose operand has to be a call. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int add(int a, int b)
{
    return a + b;
}

static int chain;

pausable int work(int n);

pausable int work(int n)
{
    return __builtin_call_with_static_chain(add(n, wait_for(1)), &chain); /* error: a suspension point inside __builtin_call_with_static_chain is not woven */ /* hint: a variable of its own */
}
