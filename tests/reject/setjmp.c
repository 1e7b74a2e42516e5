/* setjmp.c - the compiler's own setjmp, which knows C stack frames only. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void *back[5];

pausable int work(int n);

pausable int work(int n)
{
    if (__builtin_setjmp(back) != 0) /* error: jumps between C stack frames that the pauses of 'work' release */ /* hint: use setjmp */
        return 0;
    return wait_for(n);
}
