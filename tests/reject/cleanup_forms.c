/* cleanup_forms.c - a computed goto beside cleanup attributes, and a cleanup that waits. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void end(int *n)
{
    (void)n;
}

static pausable void wait_at_end(int *n)
{
    wait_for(*n);
}

pausable int work(int n);
pausable int compute(int n);

pausable int work(int n)
{
    __attribute__((cleanup(end))) int guarded = n;
    __attribute__((cleanup(wait_at_end))) int waits = n; /* error: the cleanup of 'waits' is pausable */ /* hint: plain function */
    return wait_for(guarded);
}

pausable int compute(int n)
{
    void *to = &&out;
    __attribute__((cleanup(end))) int guarded = wait_for(n);
    wait_for(n);
    goto *to; /* error: a computed goto cannot be combined with cleanup attributes */ /* hint: switch */
out:
    return guarded;
}
