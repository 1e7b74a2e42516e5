/* values.c - results and arguments of many types, and variable arguments. */
#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct small {
    short x, y;
};
struct large {
    double d[6];
    char tag[9];
};
struct bits {
    unsigned a : 3, b : 9;
    signed c : 5;
    bool d : 1;
};
union either {
    int i;
    float f;
    unsigned char bytes[8];
};

static struct small small(int n)
{
    return (struct small){ (short)n, (short)-n };
}

static struct large grow(struct large by, int n)
{
    for (int i = 0; i < 6; i++)
        by.d[i] += i * n;
    snprintf(by.tag, sizeof by.tag, "n%d", n);
    return by;
}

static struct bits pack(unsigned n)
{
    return (struct bits){ n, n * 5, (int)n - 9, n % 2 };
}

static union either as_float(float f)
{
    union either e = { 0 };
    e.f = f;
    return e;
}

static double complex turn(double complex z, int times)
{
    while (times-- > 0)
        z *= I;
    return z;
}

static long double third(long double x)
{
    return x / 3;
}
static unsigned char narrow(int n)
{
    return (unsigned char)n;
}
static _Bool truth(int n)
{
    return n;
}
static long long wide(void)
{
    return 1LL << 40;
}
static const char *text(int n)
{
    return n > 0 ? "positive" : "other";
}

static int total(int count, ...)
{
    int sum = 0;
    va_list ap;
    va_start(ap, count);
    while (count-- > 0) /* pauses: what is behind the dots would be gone */
        sum += narrow(va_arg(ap, int));
    va_end(ap);
    return sum;
}

static int first(int count, ...)
{
    va_list ap;
    va_start(ap, count);
    int value = va_arg(ap, int);
    va_end(ap);
    return narrow(value) + count;
}

static int matrix(int n)
{
    int sum = 0;
    int table[4][4];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            table[i][j] = i * j + 1;
    for (int i = 0; i < n; i++)
        sum += table[i][n - 1 - i];
    return sum;
}

static int counted(void)
{
    static int calls;
    static struct small kept = { 1, 1 };
    kept.x = (short)(kept.x * 2);
    return ++calls + kept.x;
}

int main(void)
{
    struct small s = small(12);
    struct large l = grow(grow((struct large){ { 1.5, 2.5 }, "" }, 2), 3);
    struct bits b = pack(pack(6).a + 7);
    double complex z = turn(1 + 2 * I, 3);
    printf("%d %d %g %g %s\n", s.x, s.y, l.d[1], l.d[5], l.tag);
    printf("%u %u %d %d\n", b.a, b.b, b.c, b.d);
    printf("%g %g %g\n", as_float(2.5f).f, creal(z), cimag(z));
    printf("%Lg %d %d %lld %s\n", third(6), narrow(300), truth(512), wide(), text(-1));
    printf("%d %d\n", total(4, 1, 2, 3, 300), first(2, 513));
    int m = matrix(4), c = counted();
    c += counted() + counted();
    printf("%d %d\n", m, c);
    int i = 3, order[4] = { 0 };
    order[2] += (i = 1, narrow(5)) + (i ? wide() > 5 : 9);
    order[i] -= small(i + 1).y;
    printf("%d %d %d %d\n", order[0], order[1], order[2], order[3]);
    return narrow(0x105);
}
