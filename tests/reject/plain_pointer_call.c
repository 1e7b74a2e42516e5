/* plain_pointer_call.c - a pausable pointer called from plain code. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef pausable int step(int);

struct table {
    pausable int (*step)(int);
};

int call(step *f, const struct table *t);

int call(step *f, const struct table *t)
{
    return f(1) +       /* error: 'f' is pausable and may not be called from 'call', which is not */
           t->step(2);  /* error: is pausable and may not be called from 'call', which is not */
}

int main(void)
{
    struct table t = { wait_for };
    return call(wait_for, &t);
}
