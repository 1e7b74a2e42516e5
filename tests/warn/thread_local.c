/* thread_local.c - addresses of thread-locals that are kept where a task pauses. */
#include <errno.h>
#include <stddef.h>

#include <co4.h>

struct state {
    int n, list[4];
};
static _Thread_local struct state state;
static _Thread_local int counter;
static struct state shared;

pausable int wait_for(int n);

pausable int pointers(int n);
pausable int pointers(int n)
{
    int *e = &errno; /* note at 14: it is taken here */
    int *c = &counter, *s = shared.list;
    struct state *whole = &state;
    int *part = whole->list + n; /* note at 17: it is taken here */
    *c = *s;
    n += wait_for(n);
    /* warning at 10: 'e' still has the address of the thread-local 'errno' when 'pointers' */
    /* warning: 'part' still has the address of the thread-local 'state' */
    /* hint: take the address again afterwards */
    part[0] = *e;
    c = &counter; /* anew */
    *c = *s;
    return n;
}

pausable int by_flow(int n);
pausable int by_flow(int n)
{
    int other = 0, *p = n > 0 ? &counter : NULL;
    if (n > 1)
        p = NULL;
    wait_for(1); /* warning: 'p' still has the address of the thread-local 'counter' */
    p = p != NULL ? p : (int *)0;
    wait_for(2);
    p = NULL;
    wait_for(3);
    return p == NULL ? other : *p;
}

pausable int another(int n);
pausable int another(int n)
{
    int other = 0, *p = &counter;
    *p = n;
    p = &other;
    wait_for(1);
    return *p;
}

pausable int expressions(int n);
pausable int expressions(int n)
{
    errno = wait_for(n);
    /* warning at 13: the address of the thread-local 'errno' is taken before 'expressions' */
    /* hint: give the value a variable of its own */
    state.list[n] = wait_for(n);
    /* warning: the address of the thread-local 'state' is taken before */
    int m = wait_for(n);
    errno = m;
    state.list[n] = m;
    return errno + state.n + wait_for(n); /* values may be kept */
}
