/* prototypes_disagree.c - one declaration is marked, the other is not. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int later(int n); /* error: 'later' is pausable in another declaration, but not in this one */ /* hint: of neither */

pausable int later(int n)
{
    return wait_for(n);
}
