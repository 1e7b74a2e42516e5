/* vla_kept_pointer.c - a pointer to arrays whose length is only written in a cast is needed around a suspension point. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n, void **data);

pausable int work(int n, void **data)
{
    return (*((int (*)[n + 1])*data + wait_for(1)))[0]; /* error: a pointer to an array of computed length is kept across a suspension point in this expression */ /* hint: give it a variable */
}
