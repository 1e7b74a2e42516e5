/* returned_pointer - pausable pointers as results, through a typedef; and a pointer found by a
 * pausable call.
 * expect: 9 11 4 6 -3 4 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef pausable int step(int);
typedef step *step_pointer;

static pausable int up(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int down(int n)
{
    co4_yield();
    return n - 1;
}

static step *plain_choose(int which)
{
    return which ? up : down;
}

static pausable step_pointer choose(int which)
{
    co4_yield();
    return which ? up : down;
}

static pausable int turns(step *f, int count, int from)
{
    while (count-- > 0)
        from = f(from);
    return from;
}

static pausable void work(void)
{
    step *f = plain_choose(0);
    step_pointer g = choose(1);
    printf("%d %d ", f(10), g(10));
    printf("%d %d ", choose(0)(5), plain_choose(1)(wait_for(5)));
    printf("%d %d\n", turns(f, 3, 0), turns(choose(wait_for(1)), 4, 0));
}

int main(void)
{
    co4_run(work());
    return 0;
}
