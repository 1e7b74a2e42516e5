/* shared_saves.c - points with the same live locals save by the code of the first of them: in
 * other blocks, below names that hide them, in loops, in a switch, in parts of expressions.
 * weave: --entry=single
 * expect: 3005
 * expect: 63 7
 * expect: 1 12 123 1234
 * expect: 42 2.5
 * expect: 1234 4321 1111 10 */
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

/* Several locals, live at many points; at one of them an inner i hides the outer one. */
static pausable void many(int n)
{
    int a = slow(1), b = slow(2), c = slow(3), d = slow(4);
    long up = 0, down = 0;
    for (int i = 0; i < n; i++) {
        co4_yield();
        if (i == 0) {
            int i = slow(1000);
            up += i * a;
            up += slow(100) * b;
            down += slow(1000) * d;
        } else {
            up += slow(10) * c;
            co4_yield();
            down += slow(100) * c;
            up += slow(d);
        }
        co4_yield();
    }
    down += slow(20) * a;
    down += slow(1);
    co4_yield();
    printf("%ld %ld %d %d\n", up, down, slow(1111) * a, a + b + c + d);
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
    many(2);
    return 0;
}
