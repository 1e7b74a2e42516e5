/* aligned.c - an alignment that only the function knows. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    enum { WIDE = 64 };
    _Alignas(WIDE) char bytes[64]; /* error: the alignment of 'bytes', which lives across a suspension point, is not understood */ /* hint: as a number */
    bytes[0] = (char)n;
    return wait_for(n) + bytes[0];
}
