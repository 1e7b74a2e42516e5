/* vla_in_struct.c - members of variable length, which libclang does not read. */
/* needs: gcc */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    struct {
        int values[n]; /* error: co4weave cannot read this: fields must have a constant size */ /* hint: write it in another way */
    } all;
    all.values[0] = wait_for(n);
    return all.values[0];
}
