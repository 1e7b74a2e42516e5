/* cleanup.c - a cleanup attribute would run at a pause. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void say(const int *n)
{
    (void)n;
}

pausable int work(int n);

pausable int work(int n)
{
    __attribute__((cleanup(say))) int guarded = n; /* error: the cleanup attribute of 'guarded' stands across a suspension point */ /* hint: by hand */
    return wait_for(guarded);
}
