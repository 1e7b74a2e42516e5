/* crowd.c - ten tasks that take turns: press Step, and look which one runs. */
#include <co4.h>
#include <stdio.h>

pausable int count(int who, int to)
{
    int sum = 0;
    for (int i = 1; i <= to; i++) {
        sum += i;
        co4_yield();
    }
    printf("task %d: the sum of 1 to %d is %d\n", who, to, sum);
    return sum;
}

pausable int crowd(int tasks)
{
    co4_scope *scope = co4_scope_here();
    for (int i = 1; i <= tasks; i++)
        co4_scope_spawn(scope, count(i, i * 3));
    return tasks;
}

pausable_or_plain int main(void)
{
    return co4_scope_run(0, crowd(10)) == 10 ? 0 : 1;
}
