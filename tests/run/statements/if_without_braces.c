/* if_without_braces - a point as the only statement of an if, an else and a loop, without
 * braces; dangling else.
 * expect: cabawwwdddxz */
#include <co4.h>
#include <stdio.h>

static pausable int at(char c, int value)
{
    putchar(c);
    co4_yield();
    return value;
}

static pausable void work(void)
{
    for (int i = 0; i < 4; i++)
        if (i % 2)
            at('a', 0);
        else if (i == 2)
            at('b', 0);
        else
            at('c', 0);
    int n = 3;
    while (n--)
        at('w', 0);
    do
        at('d', 0);
    while (++n < 2);
    if (n == 2) {
        if (at('x', 0))
            at('y', 0);
        else
            at('z', 0);
    }
    putchar('\n');
}

int main(void)
{
    co4_run(work());
    return 0;
}
