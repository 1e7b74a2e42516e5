/* asm_goto.c - asm goto beside suspension points. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    wait_for(n);
    __asm__ goto("" : : : : out); /* error: asm goto is not woven in a function with suspension points */ /* hint: move it into a plain function */
    n++;
out:
    return n;
}
