/* deep_expression - one expression with points, short circuits and conditionals through each
 * other.
 * expect: 27 49
 * expect: 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int mix(int a, int b, int c)
{
    return wait_for(a)
               ? (wait_for(b) && wait_for(c) ? wait_for(a) + b : (c || wait_for(b)) + wait_for(c))
               : (b ? wait_for(b) * (wait_for(c) ? a - wait_for(1) : a + wait_for(2))
                    : -wait_for(c));
}

static pausable void work(void)
{
    int i, sum = 0;
    for (i = 0; i < 27; i++)
        sum = sum * 3 % 1009 + mix(i % 3, i / 3 % 3, i / 9);
    printf("%d %d\n", i, sum);
    i = 0;
    while (wait_for(i) < 3 ? wait_for(1) : i < 6 && (wait_for(i) != 5 || wait_for(0)))
        i++;
    printf("%d\n", i);
}

int main(void)
{
    co4_run(work());
    return 0;
}
