/* comma - the comma operator, with points in either operand and in every allowed place.
 * flags: -Wno-unused-value
 * expect: abc 3
 * expect: 5
 * expect: d 0
 * expect: icxyscxysc
 * expect: www -1
 * expect: text 12 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int at(char c, int value)
{
    putchar(c);
    co4_yield();
    return value;
}

static pausable void work(void)
{
    int n;
    n = (at('a', 1), at('b', 2), at('c', 3));
    printf(" %d\n", n);
    n = (n++, wait_for(n), n + wait_for(1));
    printf("%d\n", n);
    if (n = 0, at('d', 1))
        printf(" %d\n", n);
    for (n = 0, at('i', 0); at('c', 0), n < 2; n++, at('s', 0))
        at('x', 0), at('y', 0);
    putchar('\n');
    while (n--, at('w', n) >= 0)
        ;
    printf(" %d\n", (wait_for(1), n));
    const char *text = (wait_for(0), "text");
    printf("%s %d\n", text, ((void)wait_for(1), 5) + (6, wait_for(7)));
}

int main(void)
{
    co4_run(work());
    return 0;
}
