/* all_kinds.c - in each kind of statement behind a pause, a local that is used in it alone.
 * needs: computed-goto
 * expect: 1 2 3 4 5 6 7 8 9 10
 * expect: 11 12 13 14 15 16 17 18 19 20 21 22
 * expect: 23 24 25 26 27 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void say(int n)
{
    printf("%d%c", n, n == 10 || n == 22 || n == 27 ? '\n' : ' ');
}

static pausable int simple(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    wait_for(0);
    say(a);
    ;
    int declared = b, other = c;
    {
        say(declared), say(other);
    }
    if (d == 4)
        say(4);
    else
        say(e - 100);
    say(({
        int inner = e;
        inner;
    }));
    typedef char sized[f];
    say((int)sizeof(sized));
    __asm__("" : "+r"(g));
    say(g);
    __asm__ goto("" : : "r"(h) : : never);
    say(h);
never:
    __extension__ say(i);
    return j;
}

static pausable int loops(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j,
                          int k, int l)
{
    wait_for(0);
    while (a < 12)
        say(a++);
    do
        say(12);
    while (b++ < 0);
    for (int n = c; n < d; n += e)
        say(n);
    for (;;) {
        if (f == 14)
            break;
        continue;
    }
    switch (g) {
    case 15:
        say(h - 1);
        break;
    default:
        say(-h);
    }
    switch (wait_for(1)) {
    case 0:
        say(-1);
        break;
    case 1:
        say(i - 1);
        goto label;
    }
label:
    say(j - 1);
    static void *const targets[] = { &&first, &&second };
    goto *targets[k];
first:
    say(-1);
second:
    say(17);
    say(18), say(19), say(20), say(21);
    return l;
}

static pausable int others(int a, int b, int c, int d, int e)
{
    if (wait_for(1)) {
        switch (a) {
        case 23:
            say(a);
            __attribute__((fallthrough));
        case 2:
            say(b);
        }
    }
    {
        __label__ local;
        goto local;
    local:
        say(c);
    }
    say(d);
    return e;
}

static pausable int all(void)
{
    say(simple(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    say(loops(11, 0, 13, 14, 1, 14, 15, 15, 16, 17, 1, 22));
    say(others(23, 24, 25, 26, 27));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
