/* loops_of_runs - co4_run in loops, in functions of plain code, in conditions, and with tasks
 * left behind.
 * expect: -2 7 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int total;

static pausable void later(int n)
{
    for (int i = 0; i < n; i++)
        co4_yield();
    total += n;
}

static pausable int start(int n)
{
    co4_spawn(later(n));
    return wait_for(n);
}

static int plain(int n)
{
    if (co4_run(wait_for(n)) > 2)
        return co4_run(start(n));
    else
        return -co4_run(wait_for(n));
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += plain(i);
    while (co4_run(wait_for(sum)) > 0)
        sum -= 3;
    printf("%d %d\n", sum, total);
    switch (co4_run(wait_for(2))) {
    case 2:
        return co4_run(wait_for(0)) ? 1 : co4_run(wait_for(0));
    }
    return 1;
}
