/* pointer_variables.c - pointers of one kind assigned to pointers of the other: variables, parameters, members. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef pausable int step(int);

struct table {
    step *paused;
    int (*plain)(int);
};

pausable int work(step *f, int (*g)(int), struct table *t);

pausable int work(step *f, int (*g)(int), struct table *t)
{
    int (*h)(int) = f;   /* error: 'f' is pausable, but */
    step *k = g;         /* error: 'g' is a plain function, but */
    t->plain = t->paused; /* error: is pausable, but */
    t->paused = t->plain; /* error: is a plain function, but */
    return h(wait_for(1)) + k(2);
}
