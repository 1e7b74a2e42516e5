/* inline_and_attributes - inline, noinline, unused, const and deprecated functions, declared
 * more than once.
 * expect: 2 1 1 9 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static inline pausable int small(int n)
{
    return wait_for(n) + 1;
}

pausable static int turned(int n);
static pausable int turned(int n);

__attribute__((noinline)) static pausable int far(int n)
{
    return small(n) + turned(n);
}

pausable static int turned(int n)
{
    return -n;
}

static pausable int __attribute__((unused)) never(void)
{
    return wait_for(1);
}

static int pausable between(int n)
{
    return far(wait_for(n));
}

extern pausable int outer(int(values)[2], int);

pausable int outer(int values[2], int n)
{
    return values[wait_for(n)];
}

static pausable void work(void)
{
    int values[] = { 8, 9 };
    printf("%d %d %d %d\n", small(1), far(2), between(3), outer(values, 1));
}

int main(void)
{
    co4_run(work());
    return 0;
}
