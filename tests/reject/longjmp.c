/* longjmp.c - a jump out of a pausable function. */
#include <co4.h>
#include <setjmp.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static jmp_buf back;

pausable int work(int n);

pausable int work(int n)
{
    if (wait_for(n) == 3)
        longjmp(back, 1); /* error: 'longjmp' jumps between C stack frames that the pauses of 'work' release */
    return 0;
}
