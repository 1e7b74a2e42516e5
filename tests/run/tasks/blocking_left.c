/* blocking_left - the program ends while a thread of the pool has no call, and nobody has stopped
 * the pool: no tool for leaks finds its memory.
 * expect: 4 */
#include <co4.h>
#include <stdio.h>

static int plus_one(int n)
{
    return n + 1;
}

pausable int work(void);
pausable int work(void)
{
    return co4_blocking(plus_one(3));
}

int main(void)
{
    printf("%d\n", co4_run(work()));
    return 0;
}
