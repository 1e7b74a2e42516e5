/* plain_caller.c - a pausable function called from plain code: from main, and from a function that could be marked. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int helper(void);

static int helper(void)
{
    return wait_for(1); /* error: 'wait_for' is pausable and may not be called from 'helper', which is not */ /* hint: mark 'helper' pausable */
}

int main(void)
{
    return wait_for(1) + helper(); /* error: 'wait_for' is pausable and may not be called from 'main', which is not */ /* hint: co4_run(wait_for( */
}
