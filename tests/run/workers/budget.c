/* budget.c - functions with a budget of bytes for their frames are pausable, and otherwise as all
 * others.
 * expect: 6 4
 * expect: done */
#include <stdio.h>

#include <co4.h>

#define SMALL (64)

pausable_max(SMALL) int sum(int n);
pausable_max(0x80UL) int sum(int n)
{
    int s = 0;
    for (int i = 0; i <= n; i++) {
        co4_yield();
        s += i;
    }
    return s;
}

typedef pausable int step(int n);

static pausable_max(200) int apply(step *f, int n)
{
    int all[3] = { f(n), 1, 0 };
    co4_yield();
    return all[0] + all[1];
}

int main(void)
{
    int a = co4_run(sum(3)), b = co4_run(apply(sum, 2));
    printf("%d %d\n", a, b);
    puts("done");
    return 0;
}
