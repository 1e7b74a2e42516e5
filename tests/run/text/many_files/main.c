/* many_files - static functions of one name in several files, a static inline in a header, calls
 * both ways.
 * expect: 2 39 49 4
 * expect: 8 9
 * expect: 3 13
 * expect: 10 */
#include "shared.h"

#include <stdio.h>

static pausable int helper(int n)
{
    co4_yield();
    return n + 1;
}

pausable int back(int n)
{
    return helper(n) + limited(n, 5);
}

static pausable void work(void)
{
    int mine = helper(1), left_one = left(10), right_one = right(10);
    printf("%d %d %d %d\n", mine, left_one, right_one, limited(9, 4));
    printf("%d ", hooks[0](1));
    printf("%d\n", hooks[1](1));
    set_hook(back);
    printf("%d %d\n", hooks[0](1), call_hook(7));
}

int main(void)
{
    co4_run(work());
    printf("%d\n", co4_run(left(1)));
    return 0;
}
