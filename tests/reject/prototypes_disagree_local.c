/* prototypes_disagree_local.c - declarations inside functions lack the mark, one by a typedef. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int late(int n);

pausable int more(int n);

pausable int work(void);

pausable int work(void)
{
    extern int late(int n); /* error: 'late' is pausable in another declaration, but not in this one */
    return late(wait_for(1));
}

typedef int step(int);

pausable int other(int n)
{
    step more; /* error: 'more' is pausable in another declaration, but not in this one */
    return more(wait_for(n));
}
