/* order.c - operands are evaluated from left to right where a call in them may pause.
 * modes: woven forced
 * expect: a b c
 * expect: 1 + 2 * 3 = 7
 * expect: skipped
 * expect: 30 */
#include <co4.h>
#include <stdio.h>

pausable int say(const char *what, int value)
{
    co4_yield();
    printf("%s", what);
    return value;
}

pausable void expressions(void)
{
    int n = say("a ", 1) + say("b ", 2) * say("c\n", 3);
    printf("1 + 2 * 3 = %d\n", n);

    if (n > 100 && say("never\n", 1)) /* the right side is reached only if it has to be */
        n = 0;
    puts("skipped");

    int at = 0, a[2] = { 10, 20 };
    a[at++] += say("", 20); /* which element is meant is settled before the pause */
    printf("%d\n", a[0]);
}

int main(void)
{
    co4_run(expressions());
}
