/* shared_saves.c - points with the same live locals save by the code of the first of them: in
 * other blocks, below names that hide them, in loops, in a switch, in parts of expressions.
 * weave: --entry=single
 * expect: 3005
 * expect: 63 7
 * expect: 1 12 123 1234
 * expect: 42 2.5 */
#include <co4.h>
#include <stdio.h>

static pausable int slow(int n)
{
    co4_yield();
    return n;
}

/* The outer x is live at all points; the first is in the block that has another x. */
static pausable int hidden(int x)
{
    int sum = 0;
    {
        const char *x = "ab";
        sum += x[1] - x[0];
        sum *= slow(5);
    }
    sum += slow(1);
    for (int i = 0; i < 3; i++) {
        int x = i;
        co4_yield();
        sum += x;
    }
    co4_yield();
    sum = sum - 3 + x;
    co4_yield();
    return sum + 3 - 1 + x + slow(1);
}

static pausable int in_switch(int n, int *rest)
{
    int all = 0;
    switch (n & 3) {
    case 3:
        all += slow(3);
        /* fall through */
    case 2:
        if (n > 2)
            all = all * 10 + slow(n > 3 ? 3 : 2);
        /* fall through */
    default:
        do {
            all += slow(10);
            n -= 3;
        } while (slow(n) > 0);
    }
    *rest = 7;
    return all;
}

/* All of these have the same live locals, and temporaries of their own. */
static pausable void print(void)
{
    int a = 0;
    for (int i = 1; i <= 4; i++) {
        co4_yield();
        a = a * 10 + slow(i);
        co4_yield();
        printf("%d%c", a, i < 4 ? ' ' : '\n');
    }
    co4_yield();
}

struct pair {
    int first;
    double second;
};

static pausable struct pair both(int n)
{
    struct pair p = { n, 0 };
    co4_yield();
    p.first *= 2;
    co4_yield();
    p.second = p.first / 16.0;
    co4_yield();
    p.first++;
    co4_yield();
    return p;
}

pausable_or_plain int main(void)
{
    int rest = 0, in = 0;
    printf("%d\n", hidden(1498));
    in = in_switch(7, &rest);
    printf("%d %d\n", in, rest);
    print();
    struct pair p = both(20);
    printf("%d %g\n", p.first + 1, p.second);
    return 0;
}
