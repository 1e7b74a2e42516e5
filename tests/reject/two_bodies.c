/* two_bodies.c - a GNU inline definition and the definition proper. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int twice(int n);

extern inline __attribute__((gnu_inline)) pausable int twice(int n)
{
    return 2 * n;
}

pausable int twice(int n) /* error: 'twice' is pausable and has two bodies */ /* hint: write it once */
{
    return wait_for(n) + n;
}
