/* switch_operand - a suspension point as the operand of a switch, and in its cases.
 * expect: -1 13 13 13 100 100
 * expect: alone
 * expect: seven
 * expect: green */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int classify(int n)
{
    int result = 0;
    switch (wait_for(n)) {
    case 0:
        return wait_for(-1);
    case 1:
    case 2:
        result = wait_for(12);
        break;
    case 3: {
        int twice = 2 * n;
        result = wait_for(twice) + twice;
        break;
    }
    default:
        result = wait_for(99);
    }
    return result + 1;
}

static pausable void work(void)
{
    for (int i = 0; i < 6; i++)
        printf("%d%c", classify(i), i < 5 ? ' ' : '\n');
    switch (wait_for(5)) {
    }
    switch (wait_for(7))
    default:
        puts("alone");
    switch (wait_for(7))
    case 7:
        puts("seven");
    enum { red, green } color = green;
    switch (wait_for(0) ? red : color) {
    case red:
        puts("red");
        break;
    case green:
        puts("green");
        break;
    }
}

int main(void)
{
    co4_run(work());
    return 0;
}
