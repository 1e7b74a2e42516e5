/* mark_behind_typedef.c - a mark on a variable, or function, whose function type is behind an unmarked typedef. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef int step(int);

static pausable step *next; /* error: 'next' is marked pausable, but the typedef of its function type is not */ /* hint: move 'pausable' to the typedef */

static pausable step later; /* error at 22: 'later' is marked pausable, but the typedef of its function type is not */ /* hint: move 'pausable' to the typedef */

static pausable int later(int n)
{
    return wait_for(n);
}

int main(void)
{
    return next == 0 ? co4_run(later(1)) : 0;
}
