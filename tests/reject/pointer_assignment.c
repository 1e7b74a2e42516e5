/* pointer_assignment.c - a plain pointer, member or element assigned a pausable function, also through ?: and brackets. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct table {
    int (*step)(int);
};

static int (*global)(int);

pausable void work(struct table *t, int which);

pausable void work(struct table *t, int which)
{
    int (*local[2])(int) = { 0 };
    t->step = wait_for;                 /* error: 'wait_for' is pausable, but */
    global = (&wait_for);               /* error: '&wait_for' is pausable, but */
    local[1] = which ? wait_for : 0;    /* error: is pausable, but */
    local[0] = global = wait_for;       /* error: 'wait_for' is pausable, but */
}
