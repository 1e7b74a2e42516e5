/* pointer_cast.c - a cast takes the mark away. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef int plain_step(int);

int main(void)
{
    plain_step *f = (plain_step *)wait_for;  /* error: 'wait_for' is pausable, but */
    return f == 0;
}
