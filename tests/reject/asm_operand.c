/* asm_operand.c - a suspension point in the operand of an asm statement. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    __asm__ volatile("" : : "r"(wait_for(n))); /* error: a suspension point inside an asm statement is not woven */
    return n;
}
