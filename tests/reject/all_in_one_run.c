/* all_in_one_run.c - every mistake of a file is reported in one run. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int one(void);
int two(void);

int one(void)
{
    return wait_for(1); /* error: may not be called from 'one' */
}

int two(void)
{
    return wait_for(2); /* error: may not be called from 'two' */
}
