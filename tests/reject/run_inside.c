/* run_inside.c - co4_run() would block the thread of a pausable function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(void);

pausable int work(void)
{
    return co4_run(wait_for(1)); /* error: co4_run blocks the thread and may not be used in 'work', which is pausable */ /* hint: call the function directly */
}
