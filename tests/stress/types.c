/* types.c - types that an expression defines are known to the end of its block, wherever the
 * expression is taken apart. */
#include <stddef.h>
#include <stdio.h>

static int num(int x)
{
    return x;
}

static int pass(const void *p)
{
    return *(const char *)p;
}

static void literals(void)
{
    {
        struct S *p;
        pass(&(struct S { char a[7]; }){ { 0 } });
        union U *q;
        pass(&(union U {
            char a[9];
            int i;
        }){ { 0 } });
        printf("%d %d %d %d\n", (int)sizeof(struct S), (int)sizeof *p, (int)sizeof(union U),
               (int)sizeof *q);
    }
    {
        num((enum E{ A = 3, B }){ A });
        num(*&(enum E2{ A2 = 4 }){ A2 });
        num(((struct T { int x; }){ 5 }).x);
        struct T t = { 6 };
        pass(&t);
        printf("%d %d %d %d\n", A, B, A2, t.x);
    }
    {
        pass(&(struct { int anon; }){ 3 });
        pass((struct Q {
            int a;
            struct R {
                int b;
            } r;
        }[2]){ { 1, { 2 } } });
        struct R rr = { 4 };
        struct Q qq = { 5, rr };
        pass(&qq);
        int n = num(((union UU {
                        struct N {
                            int a, b;
                        } n;
                        int z[2];
                    }){ .z = { 1, 2 } })
                        .n.b);
        struct N k = { n, n };
        pass(&k);
        printf("%d %d %d\n", qq.r.b, (int)sizeof(struct Q), k.a);
    }
    struct Forward;
    struct Forward *f;
    pass(f = (void *)&(struct Forward { int a; }){ 3 });
    struct Same {
        int a;
    } *s = &(struct Same){ num(8) };
    pass(s);
    printf("%d %d\n", f->a, s->a);
}

static void operators(void)
{
    struct O *o;
    num(sizeof(struct V { int x[3]; }));
    num((int)(ptrdiff_t)(struct W { int x[4]; } *)0);
    struct V v = { { 1, 2, 3 } };
    struct W w = { { 1, 2, 3, 4 } };
    pass(&v), pass(&w);
    int z = num(1) ? num((int)sizeof(struct O { char a[11]; })) : 2;
    num((int)sizeof(struct P {
        char c;
        int i;
    } __attribute__((packed))));
    num((int)sizeof(struct __attribute__((packed)) P2 {
        char c;
        int i;
    }));
    struct P p;
    pass(&p);
    printf("%d %d %d %d %d %d\n", v.x[2], w.x[3], z, (int)sizeof *o, (int)sizeof p,
           (int)sizeof(struct P2));
    char *c = (char *)&(struct F {
        int a;
        char b;
    }){ num(1), 2 };
    printf("%d %d\n", (int)offsetof(struct F, b), c[offsetof(struct F, b)]);
}

static int statement_expressions(void)
{
    int n = ({
        struct X {
            int q;
        } x = { 4 };
        pass(&x);
        x.q;
    });
    struct Y {
        int q;
    } r = ({
              struct Y {
                  int z, q;
              } x = { 4, 5 };
              struct Z {
                  int q;
              };
              struct Z z = { 1 };
              struct Y *none = 0;
              pass(&x), pass(&z);
              num(sizeof *none);
              x;
          }).q == 5
              ? (struct Y){ 8 }
              : (struct Y){ 9 };
    pass(&r);
    return printf("%d %d\n", n, r.q);
}

static void statements(int c)
{
    switch (c) {
    case 1:
        num(((struct A { int a; }){ 1 }).a);
        struct A a = { 2 };
        pass(&a);
        printf("%d\n", a.a);
    default:
    l:
        num(sizeof(union B { int b[3]; }));
        union B b;
        pass(&b);
        printf("%d\n", (int)sizeof b);
    }
    if (c)
        num(((struct A { int a, b; }){ 1 }).a);
    else
        num(((struct A { int a, b, c; }){ 1 }).a);
    for (int i = 0; i < 2; i++) {
        pass(&(struct L { int i; }){ num(i) });
        struct L q = { i };
        pass(&q);
        pass(&(struct M { int i, j; }){ num(i), 4 });
        struct M m = { i, 5 };
        pass(&m);
        printf("%d %d\n", q.i, m.j);
    }
    enum E { X = 1 };
    {
        num((enum E{ X = 7, Y }){ X });
        printf("%d %d\n", X, (int)Y);
    }
    while (num(((struct K { int a; }){ c }).a)) {
        struct K k = { 3 };
        pass(&k);
        printf("%d %d\n", k.a, X);
        c = 0;
    }
    if (c > 9)
        goto l;
}

int main(void)
{
    literals();
    operators();
    statements(1);
    return statement_expressions() < 0;
}
