/* name_in_brackets.c - definitions whose name is in brackets, because a macro of the same name must
 * not change it.
 * expect: 3 6 10 */
#include <co4.h>
#include <stdio.h>

typedef pausable int step(int);

pausable int(add_one)(int n)
{
    co4_yield();
    return n + 1;
}

static pausable step *((choose))(void)
{
    co4_yield();
    return add_one;
}

pausable_or_plain int (*(plain_too)(int n))[1];

pausable_or_plain int (*(plain_too)(int n))[1]
{
    static int kept[1];
    co4_yield();
    kept[0] = n * 2;
    return &kept;
}

static pausable int(work)(int n)
{
    return choose()((add_one)(n)) + (*(plain_too)(n))[0] + choose()(2);
}

int main(void)
{
    printf("%d %d", co4_run((add_one)(2)), (*plain_too(3))[0]);
    printf(" %d\n", co4_run((work)(1)) + 2);
    return 0;
}
