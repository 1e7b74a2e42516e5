/* argument_order.c - operands around suspension points are evaluated left to right, once. (C
 * leaves the order of arguments open, so the plain form may print something else.)
 * modes: woven forced
 * expect: abc
 * expect: 321
 * expect: xy 30 */
#include <co4.h>
#include <stdio.h>

static int tell(char c, int value)
{
    putchar(c);
    return value;
}

static pausable int wait_for(char c, int value)
{
    co4_yield();
    return tell(c, value);
}

static int join(int a, int b, int c)
{
    return 100 * a + 10 * b + c;
}

static pausable void work(void)
{
    int digits = join(tell('a', 3), wait_for('b', 2), tell('c', 1));
    printf("\n%d\n", digits);
    int product = tell('x', 5) * wait_for('y', 6);
    printf(" %d\n", product);
}

int main(void)
{
    co4_run(work());
    return 0;
}
