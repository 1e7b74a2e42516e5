/* variadic_forms.c - calls with variable arguments in expressions of many forms; lists by pointers,
 * of one type with others, in loops.
 * weave: --entry=dual
 * expect: 8
 * expect: 112 121
 * expect: 112
 * expect: 8
 * expect: 10
 * expect: 14
 * expect: 5
 * expect: 6
 * expect: 119
 * expect: 204
 * expect: 1234
 * expect: 123 123 12
 * expect: 7 */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pausable int step(int n)
{
    co4_yield();
    return n;
}

static pausable int sum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int t = 0;
    while (n--)
        t += step(va_arg(ap, int));
    va_end(ap);
    return t;
}

static pausable int pick(int which, ...)
{
    va_list a, b;
    va_start(a, which);
    va_copy(b, a);
    va_list *p = which ? &a : &b;
    int x = va_arg(*p, int);
    step(1);
    int y = va_arg(a, int) * 10 + va_arg(b, int);
    va_end(a);
    va_end(b);
    return x * 100 + y;
}

static pausable int vtwo(va_list one, va_list two)
{
    int t = va_arg(one, int);
    step(0);
    t = t * 10 + va_arg(two, int);
    step(0);
    return t * 10 + va_arg(one, int);
}

/* a list that is a parameter, across several pauses */
static pausable int vmany(int n, va_list ap)
{
    int t = 0;
    while (n-- > 0)
        t = t * 10 + step(va_arg(ap, int));
    return t;
}

static pausable int many(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int t = vmany(n, ap);
    va_end(ap);
    return t;
}

static pausable int two(int n, ...)
{
    va_list a, b;
    va_start(a, n);
    va_start(b, n);
    int t = vtwo(a, b);
    va_end(a);
    va_end(b);
    return t;
}

/* typeof of a list */
static pausable int typed(int n, ...)
{
    va_list a;
    va_start(a, n);
    __typeof__(a) b;
    va_copy(b, a);
    step(1);
    int r = va_arg(b, int) + va_arg(a, int);
    va_end(b);
    va_end(a);
    return r;
}
/* a struct and a pointer to a plain function among them */
struct s {
    char t[12];
};

typedef int function(int);

static int add_one(int x)
{
    return x + 1;
}

static pausable int funcs(int n, ...)
{
    va_list a;
    va_start(a, n);
    step(1);
    function *f = va_arg(a, function *);
    struct s v = va_arg(a, struct s);
    const char *q = va_arg(a, char *);
    va_end(a);
    return f(n) + (int)strlen(v.t) + (int)strlen(q);
}

static pausable int loops(int n, ...)
{
    int t = 0;
    for (int i = 0; i < 2; i++) {
        va_list a;
        va_start(a, n);
        for (int k = 0; k < n; k++)
            t += step(va_arg(a, int));
        va_end(a);
    }
    return t;
}

#define SUM(...) sum(__VA_ARGS__)

static pausable int gotos(int n, ...)
{
    va_list a;
    int t = 0;
    va_start(a, n);
again:
    if (n-- > 0) {
        t += step(va_arg(a, int));
        goto again;
    }
    va_end(a);
    return t;
}

/* va_start inside an expression that pauses: its list may be of one, too */
static pausable int commas(int n, ...)
{
    va_list a, two[2];
    int t = vmany(n, (va_start(a, n), a));
    va_end(a);
    printf("%d ", t);
    t = (va_start(two[step(1)], n), vmany(n, two[1]));
    va_end(two[1]);
    printf("%d ", t);
    t = 0;
    for (va_start(a, n); t < step(10);)
        t = t * 10 + va_arg(a, int);
    va_end(a);
    return t;
}

/* and done with before a pause */
static pausable int early(int n, ...)
{
    va_list a;
    int t = step((va_start(a, n), va_arg(a, int)));
    va_end(a);
    return t;
}

static pausable int all(void)
{
    const struct s v = { "hello" };
    int k = 1;
    printf("%d\n", sum(2, sum(1, 5), k ? sum(2, 1, 2) : 0));
    printf("%d %d\n", pick(0, 1, 2), pick(1, 1, 2));
    printf("%d\n", two(1, 1, 2, 3));
    printf("%d\n", typed(1, 4, 5));
    printf("%d\n", funcs(1, add_one, v, "abc"));
    printf("%d\n", loops(2, 3, 4));
    printf("%d\n", SUM(2, (k++, k), 3));
    printf("%d\n", gotos(3, 1, 2, 3));
    printf("%d\n", (int)sizeof(sum(1, 2)) + sum(1, ({
                                                    int z = step(3);
                                                    z;
                                                })) +
                       sum(1, 'a') + (sum)(1, 7) + (*sum)(1, 8));
    unsigned char c = 200;
    short sh = -3;
    float f = 1.5f;
    _Bool b = 1;
    struct {
        unsigned x : 3;
    } bits = { 5 };
    printf("%d\n", sum(5, c, sh, (int)f, b, bits.x));
    printf("%d\n", many(4, 1, 2, 3, 4));
    printf("%d\n", commas(3, 1, 2, 3));
    printf("%d\n", early(1, 7));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
