/* asm_goto_scope.c - a jump of the assembler's out of the scope of an array of computed length, whose memory would have to be
 * given back on the way. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    {
        int all[n];
        all[0] = wait_for(n);
        __asm__ goto("" : : : : out); /* error: a computed goto cannot be combined with cleanup attributes or variable-length arrays */ /* hint: switch */
        n += all[0];
    }
out:
    return wait_for(n);
}

int main(void)
{
    return co4_run(work(1));
}
