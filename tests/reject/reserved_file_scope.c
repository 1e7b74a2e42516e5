/* reserved_file_scope.c - a variable of the file that a temporary of woven code would hide. */
#include <co4.h>

static int co4_t1 = 5; /* error: 'co4_t1': names that begin with co4_ */

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(void);

pausable int work(void)
{
    int wait_for__func = wait_for(1); /* error: 'wait_for__func': names that begin with co4_ */
    return wait_for__func + wait_for(2) + co4_t1;
}
