/* old_style.c - a definition without a prototype. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int old(n) /* error: 'old' is pausable, but defined in the old style without a prototype */ /* hint: between the brackets */
    int n;
{
    return wait_for(n);
}

int main(void)
{
    return co4_run(old(1));
}
