/* logical - && and || with points on either side, nested and mixed.
 * expect: a 0 abc 0 a 0 a 0
 * expect: ab 0 a 1 abc 0 a 0
 * expect: a 0 ab 1 a 0 ac 1
 * expect: abc 0 a 1 ab 1 a 0
 * expect: a 0 abc 1 a 0 a 0
 * expect: ab 0 a 1 abc 1 a 0
 * expect: a 0 ab 1 a 0 ac 1
 * expect: abc 1 a 1 ab 1 a 0
 * expect: 101
 * expect: xyz yes
 * expect: right only */
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
    for (int i = 0; i < 8; i++) {
        int a = i & 1, b = i >> 1 & 1, c = i >> 2 & 1;
        int r = at('a', a) && at('b', b) && at('c', c);
        printf(" %d ", r);
        r = at('a', a) || at('b', b) || at('c', c);
        printf(" %d ", r);
        r = at('a', a) && (at('b', b) || at('c', c));
        printf(" %d ", r);
        r = !(at('a', a) || !b) && at('c', c) + 1;
        printf(" %d\n", r);
    }
    const char *text = "t";
    double zero = 0;
    printf("%d%d%d\n", text && wait_for(1), wait_for(0) || zero, wait_for(5) && 0.5 > zero);
    if (at('x', 1) && !at('y', 0) && (at('z', 0) || 1))
        puts(" yes");
    (void)(wait_for(1) && puts("right only"));
    (void)(wait_for(1) || puts("never"));
}

int main(void)
{
    co4_run(work());
    return 0;
}
