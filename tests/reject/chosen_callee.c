/* chosen_callee.c - pausable functions for plain parameters, and plain for pausable, given to what an expression chooses. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int plain(int n)
{
    return n;
}

static pausable int takes(pausable int (*f)(int), int n)
{
    return f(n);
}

static pausable int others(int (*f)(int), int n)
{
    return wait_for(f(n));
}

pausable int work(int c);

pausable int work(int c)
{
    return (c ? takes : takes)(plain, c) + /* error: 'plain' is a plain function, but parameter 'f' takes a pausable one */
           (c, others)(wait_for, c); /* error: 'wait_for' is pausable, but parameter 'f' takes a plain function */
}

int main(void)
{
    return co4_run(work(1));
}
