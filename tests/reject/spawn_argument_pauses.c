/* spawn_argument_pauses.c - a plain function may spawn, but not with an argument that pauses. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int start(void);

int start(void)
{
    co4_task *t = co4_spawn(wait_for(wait_for(1))); /* error: 'wait_for' is pausable and may not be called from 'start' */
    return t != 0;
}
