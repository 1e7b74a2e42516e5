/* squares.c - three tasks that wait at the same time, and the sum of their results.
 * modes: woven forced
 * expect: 14 */
#include <co4.h>
#include <stdio.h>

static pausable int square(int n)
{
    co4_sleep(n * CO4_MS);
    return n * n;
}

static pausable int sum_of_squares(void)
{
    co4_task *tasks[3];
    int sum = 0, result;
    for (int i = 0; i < 3; i++)
        tasks[i] = co4_spawn(square(i + 1));
    for (int i = 0; i < 3; i++)
        if (co4_join(tasks[i], &result) == CO4_OK)
            sum += result;
    return sum;
}

int main(void)
{
    printf("%d\n", co4_run(sum_of_squares()));
}
