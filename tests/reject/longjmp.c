/* longjmp.c - jumps that the compiler or the system makes between C stack frames. */
#include <co4.h>
#include <ucontext.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void *back[5];
static ucontext_t here;

pausable int work(int n);

pausable int work(int n)
{
    if (wait_for(n) == 3)
        __builtin_longjmp(back, 1); /* error: 'longjmp' jumps between C stack frames that the pauses of 'work' release */ /* hint: use setjmp and longjmp */
    if (wait_for(n) == 4)
        getcontext(&here); /* error: 'getcontext' jumps between C stack frames that the pauses of 'work' release */ /* hint: return an error code */
    return 0;
}
