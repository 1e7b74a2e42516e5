/* prototypes_disagree_local.c - a declaration inside a function lacks the mark. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int late(int n);

pausable int work(void);

pausable int work(void)
{
    extern int late(int n); /* error: 'late' is pausable in another declaration, but not in this one */
    return late(wait_for(1));
}
