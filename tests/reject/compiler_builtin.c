/* compiler_builtin.c - values of a builtin of gcc's own, whose type libclang does not know, around a suspension point. */
/* needs: gcc */
#include <co4.h>

#include <tgmath.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable double work(float x);
pausable double fine(float x);

pausable double work(float x)
{
    return (sqrt(x) + 1) * wait_for(1); /* error: only the compiler knows its type */ /* hint: a variable of its own */
}

pausable double fine(float x)
{
    float root = sqrt(x);
    return root + wait_for(1) + sqrt((float)wait_for(2));
}
