/* enums_and_bools - locals and parameters of enum and _Bool type, and enums declared in a
 * function.
 * expect: 40 11 5 6 1 0
 * expect: 2 50 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

enum color { red, green = 5, blue };

static pausable enum color next(enum color c)
{
    co4_yield();
    return c == red ? green : blue;
}

static pausable _Bool is_set(unsigned n)
{
    co4_yield();
    return n & 6;
}

static pausable void work(void)
{
    enum { low = -1, high = 40 } level = low;
    enum local { x = 10, y } which = wait_for(y);
    enum color c = next(red), d = next(c);
    _Bool set = is_set(4), unset = is_set(8);
    level = wait_for(high);
    printf("%d %d %d %d %d %d\n", level, which, c, d, set, unset);
    wait_for(0);
    set = wait_for(256);
    printf("%d %d\n", set + 1, level + x);
}

int main(void)
{
    co4_run(work());
    return 0;
}
