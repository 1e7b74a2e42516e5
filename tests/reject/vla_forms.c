/* vla_forms.c - variably modified types that are not kept: their lengths are hidden, or a computed goto may leave their scope. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int fixed(int n);
pausable int left(int n);
pausable int passed(int n, int (*grid)[n], int (*other)[sizeof *grid]);
pausable int cast(int n, void *data);

pausable int fixed(int n)
{
    static int (*kept)[n]; /* error: the lengths in the type of 'kept', which lives across a suspension point, are not understood */ /* hint: in brackets */
    return wait_for(n) + (kept != NULL);
}

pausable int left(int n)
{
    void *to = &&out;
    int values[n];
    values[0] = wait_for(n);
    goto *to; /* error: a computed goto cannot be combined with cleanup attributes or variable-length arrays */ /* hint: switch */
out:
    return values[0];
}

pausable int passed(int n, int (*grid)[n], int (*other)[sizeof *grid]) /* error: the lengths in the type of 'other' */
{
    return wait_for(n) + grid[0][0] + other[0][0];
}

pausable int cast(int n, void *data)
{
    return (*((int (*)[n + 1])data + 1))[wait_for(n)]; /* ok: the address is computed as an int's */
}
