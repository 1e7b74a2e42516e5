/* register_locals - `register` locals of types that are local, or cannot be assigned.
 * expect: 195 7 13 */
#include <co4.h>
#include <stdio.h>

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

struct fixed {
    const int a, b;
};

static pausable int of_parameter(register struct fixed f, register int n)
{
    n = next(n);
    return n + f.a + f.b;
}

static pausable int walk(register int n)
{
    struct op {
        int token, level;
    } stack[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    register struct op *at = stack;
    register const struct fixed pair = { 10, 20 };
    register const volatile int kept = 7;
    register struct op one = stack[2], *const last = stack + 3;
    int sum = 0;
    while (at <= last) {
        sum += at->token * next(at->level) + one.token;
        at++;
    }
    sum += next(n) + pair.a + pair.b + kept;
    for (register struct op *p = stack, *end = stack + 4; p < end; p++)
        sum += next(p->token);
    return sum;
}

static pausable int of_union(void)
{
    register union {
        int i;
        char c[4];
    } u = { 5 }, w;
    w.i = next(u.i);
    return next(1) + w.i + u.i;
}

int main(void)
{
    int walked = co4_run(walk(1)), sum = co4_run(of_parameter((struct fixed){ 1, 2 }, 3));
    printf("%d %d %d\n", walked, sum, co4_run(of_union()));
    return 0;
}
