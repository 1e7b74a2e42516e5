/* aligned.c - an alignment that frames do not keep. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    _Alignas(64) char bytes[64]; /* error: 'bytes' has an alignment of its own and stands across a suspension point */ /* hint: aligned_alloc */
    bytes[0] = (char)n;
    return wait_for(n) + bytes[0];
}
