/* decisions.c - decisions at accesses leave expressions as they are: a program of one thread prints
 * the same with each of them, and with pauses there. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int a, b;
};
struct all {
    struct pair p, q[3];
    unsigned x : 3, y : 5;
    const char *text;
    union {
        float f;
        unsigned u;
    } both;
    int (*f)(int);
    double d[2][2];
};

static struct all g = { { 1, 2 }, { { 3, 4 }, { 5, 6 }, { 7, 8 } },
                        5,        17,
                        "text",   { 1.5f },
                        NULL,     { { 1, 2 }, { 3, 4 } } };
static int n = 3, *where = &n;
static volatile int v = 4;
static _Atomic int at = 5;
static _Bool flag;
static const int fixed = 9;
static long big[4] = { 1, 2, 3, 4 };
static _Thread_local int own = 2;

static int twice(int x)
{
    return 2 * x;
}

static struct pair made(int a, int b)
{
    return (struct pair){ a + n, b };
}

static int sum(int count, ...)
{
    va_list list;
    int all = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        all += va_arg(list, int);
    va_end(list);
    return all;
}

static int expressions(struct all *s, int k)
{
    int r = n++ + s->p.a;
    r += ++*where * s->p.a - s->q[k].b;
    s->q[k].b -= n;
    r += (flag ? v : *where) + s->q[k].b;
    r += (v += 2, v--);
    r += s->x++;
    s->y ^= 3;
    r -= (s->x = (unsigned)n & 7);
    s->p = s->q[k];
    s->q[(k + 1) % 3] = made(s->p.a, g.p.b);
    r += made(n, v).b + (s->q[k].a > n && v > 2) + (s->p.b == n || flag);
    s->d[1][k & 1] *= 1.5;
    r ^= (int)s->d[k & 1][n & 1] + (int)s->d[1][k & 1];
    s->f = n % 2 ? twice : NULL;
    r += s->f ? s->f(n) : fixed;
    r += at++;
    at += 3;
    r += atomic_fetch_add(&at, n);
    at = at * 2;
    r += at + (int)sizeof(n) + sum(3, n, s->p.a, *where) + s->text[n & 1] + *s->text;
    r += (int)strlen(g.text);
    s->text++;
    flag = !flag;
    s->both.u >>= n & 3;
    big[k] <<= 1;
    r += big[k & 3] > 4 ? (int)big[0]++ : n ?: 1;
    r -= ({
        int z = n;
        z += *where;
        z;
    });
    r += own++;
    int copy[2] = { n, *where }, *last = &copy[1];
    *last += copy[0]--;
    r += (*last)++;
    return r + copy[0] + copy[1];
}

static int statements(void)
{
    int r = 0;
    for (n = 0; n < 4; n++)
        switch (big[n] > 2 ? n : v) {
        case 0:
            r += n;
            break;
        case 1:
            continue;
        default:
            while (v-- > n)
                r += v;
            do
                r++;
            while (*where > r);
        }
    if (n)
        r += n;
    else
        r -= n;
    static int *pinned = &n;
    int length[n + 1];
    memset(length, 0, sizeof length);
    length[*pinned] = n;
    __asm__ volatile("" ::: "memory");
    return r + length[n];
}

static void *unused(void *arg)
{
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t id; /* so that threads are tasks; it is never begun */
    if (argc > 1 && pthread_create(&id, NULL, unused, argv) != 0)
        return 1;
    for (int k = 0; k < 3; k++)
        printf("%d\n", expressions(&g, k));
    for (int k = 0; k < 2; k++)
        printf("%d\n", statements());
    printf("%d %d %d %d %d %u %u %s %d %ld %d\n", n, v, (int)at, g.p.a, g.q[1].b, g.x, g.y, g.text,
           flag, big[1], own);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            printf("%g ", g.d[i][k]);
    printf("%g\n", (double)g.both.f);
}
