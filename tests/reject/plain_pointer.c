/* plain_pointer.c - a plain pointer given a pausable function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int call(int (*f)(int));

pausable void work(void);

pausable void work(void)
{
    int (*f)(int) = wait_for; /* error: 'wait_for' is pausable, but */ /* hint: pausable */
    f = wait_for;             /* error: 'wait_for' is pausable, but */
    call(wait_for);           /* error: 'wait_for' is pausable, but */
    (void)f;
}
