/* no_evaluation - operands of sizeof, _Alignof and typeof are not evaluated and are no points.
 * needs: formats
 * expect: 4 5 5 3 9 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int never(void);
pausable int never(void)
{
    puts("never");
    return 0;
}

static pausable void work(void)
{
    int n = 3;
    __typeof__(never()) same = 5;
    char bytes[sizeof(never()) + 1];
    printf("%zu %d %zu %d ", sizeof never(), same, sizeof bytes, n);
    printf("%d\n", (int)sizeof(never() + 1LL) + wait_for(1));
}

int main(void)
{
    co4_run(work());
    return 0;
}
