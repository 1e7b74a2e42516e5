/* run_kinds - co4_run with results of all kinds, several times, and in every kind of expression.
 * needs: long-double
 * expect: ac 3.0 0.75 7 8 8.5 9 4 2 3 6 43 6 12 3 */
#include <co4.h>
#include <stdbool.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int odd_waits(int n)
{
    if (n % 2 != 0)
        co4_yield();
    return n;
}

struct small {
    short a, b;
};
struct large {
    double d[12];
    int n;
};

static int calls;

static pausable char letter(int i)
{
    co4_yield();
    calls++;
    return "abc"[i];
}

static pausable bool ready(void)
{
    calls++;
    return wait_for(1);
}

static pausable float single(float f)
{
    co4_yield();
    return f * 2;
}

static pausable long double wide(long double x)
{
    co4_yield();
    return x / 4;
}

static pausable struct small small(short a)
{
    co4_yield();
    return (struct small){ a, (short)(a + 1) };
}

static pausable struct large large(int n)
{
    struct large l = { { 0 }, n };
    for (int i = 0; i < n; i++)
        l.d[i] = wait_for(i) + 0.5;
    return l;
}

static pausable struct large at_once(int n)
{
    struct large l = { { 0 }, odd_waits(n) };
    return l;
}

static pausable int *pointer(int *p)
{
    ++*p;
    co4_yield();
    return p;
}

static pausable void nothing(void)
{
    co4_yield();
    calls += 10;
}

static int plain(int n)
{
    return co4_run(wait_for(n)) * 2;
}

int main(void)
{
    int n = 5;
    printf("%c%c ", co4_run(letter(0)), co4_run(letter(2)));
    if (co4_run(ready()) && n > 4)
        printf("%.1f %.2Lf ", co4_run(single(1.5F)), co4_run(wide(3)));
    struct small s = co4_run(small(7));
    struct large l = co4_run(large(9));
    printf("%d %d %.1f %d %d ", s.a, s.b, l.d[8], l.n, co4_run(small(3)).b);
    l = co4_run(at_once(2));
    printf("%d %d ", l.n, co4_run(at_once(3)).n);
    printf("%d ", *co4_run(pointer(&n)));
    co4_run(nothing());
    for (int i = co4_run(wait_for(0)); i < co4_run(wait_for(3)); i++)
        co4_run(nothing());
    printf("%d %d %d ", calls, n, plain(plain(3)));
    int a = co4_run(wait_for(1)), b = a ? co4_run(wait_for(2)) : 0;
    return printf("%d\n", a + b) != 2;
}
