/* parameters.c - parameters that cannot be declared again by each entry of their function. */
#include <co4.h>

static int plain(int n)
{
    return n;
}

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int unnamed(int n, int (*)[n]);
pausable int counted(int n, int a[n++]);
pausable int fine(int n, const int a[n + 1]);

pausable int unnamed(int n, int (*)[n]) /* error: 'unnamed' is pausable and has a parameter of computed size without a name */ /* hint: give it a name */
{
    return wait_for(n);
}

pausable int counted(int n, int a[n++]) /* error: the size in the declaration of 'a', a parameter of 'counted', has side effects */ /* hint: before the call */
{
    return wait_for(n) + a[0];
}

pausable int fine(int n, const int a[n + 1])
{
    return wait_for(n) + a[0];
}

pausable int asked(int n, int a[plain(n)]) /* error: the size in the declaration of 'a', a parameter of 'asked', has side effects */
{
    return wait_for(n) + a[0];
}
