#include "shared.h"

static pausable int helper(int n)
{
    static int calls;
    co4_yield();
    return n * 2 + calls++;
}

pausable int left(int n)
{
    return helper(n) + limited(n, 3) + back(n);
}
