/* pointer_returned.c - a plain pointer returned from a pausable function's name, and the other way round. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef int plain_step(int);
typedef pausable int step(int);

static int plain(int n)
{
    return n;
}

static plain_step *choose(void)
{
    return wait_for; /* error: 'wait_for' is pausable, but */
}

static step *choose_step(void)
{
    return plain; /* error: 'plain' is a plain function, but */ /* hint: mark 'plain' pausable */
}

int main(void)
{
    return choose() == 0 && choose_step() == 0;
}
