/* compiler_builtin_type.c - locals whose type is that of a value of gcc's own builtins. */
/* needs: gcc */
#include <co4.h>

#include <tgmath.h>

pausable double named(float x);

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable double named(float x)
{
    __auto_type root = sqrt(x); /* error at 17: 'root' has a type that cannot be kept */
    __typeof__(sqrt(x)) other = 1; /* error at 25: 'other' has a type that cannot be kept */
    wait_for(1);
    return root + other;
}
