/* setjmp.c - a jump between C stack frames that a pause gives up. */
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
    if (setjmp(back) != 0) /* error: jumps between C stack frames that the pauses of 'work' release */ /* hint: return an error code */
        return 0;
    return wait_for(n);
}

/* behind the pause in its first turn is before it in the next */
pausable int again(int n)
{
    int sum = 0;
    while (n-- > 0) {
        sum += wait_for(n); /* note: it may pause here */
        if (sigsetjmp(back, 0) != 0) /* error: 'sigsetjmp' jumps between C stack frames that the pauses of 'again' release */
            return 1;
    }
    return sum;
}
