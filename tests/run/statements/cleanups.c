/* cleanups.c - cleanup attributes across suspension points: once, newest first, on every way out,
 * and at no pause.
 * flags: -std=gnu11 -Wno-unused-variable
 * expect: <20><100><1000><101><102><103>|<2><1> =3
 * expect: <3><2> =3
 * expect: <40><4><3> =40
 * expect: <50><100><1000><101><102>|<5><4> =9
 * expect: <60><100><101><6><5> =11
 * expect: <70><100><1000><101><102><103><7><6> =103
 * expect: <80><100><1000><101><102><103>|<8><7> =15
 * expect: <5><1><2><3><4>[h 4]<3>v4<9><8>j8<7>(free abc)<0>
 * expect: (free abc)<0><6><2><3><4>[h 4]<3>v4<9><8>j8(free abc)<1>
 * expect: (free abc)<0>(free abc)<1><3><4>[h 4]<3>v4<9><8>(free Xbc)<2>
 * expect: ...<3>[g 1] g 1
 * expect: .<1>[g 2] g 2
 * expect: ..<3>[g 3] g 3
 * expect: ..<2>[g 3] r 1
 * expect: {unlock 1}in 1{unlock 0} 0
 * expect: {unlock 0} 1
 * expect: {unlock 1}in 1{unlock 0} 0
 * expect: <2><1> */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
static void end(int *p)
{
    printf("<%d>", *p);
}
static void freep(char **p)
{
    printf("(free %s)", *p ? *p : "-");
    free(*p);
}
struct g {
    int a;
    const char *n;
};
static void endg(struct g *g)
{
    printf("[%s %d]", g->n, g->a);
}
#define DEFER(f) __attribute__((cleanup(f)))
static char *dup(const char *s)
{
    char *p = malloc(20);
    snprintf(p, 20, "%s", s);
    return p;
}
static pausable int one(int n)
{
    DEFER(end) int a = w(n), b = w(a + 1);
    if (n == 2)
        return w(b);
    {
        DEFER(end) int a = b * 10;
        w(1);
        if (n == 3)
            return a;
    }
    for (int i = 0; i < 4; i++) {
        DEFER(end) int c = 100 + i;
        if (i == 0)
            continue;
        w(2);
        if (n == 4 && i == 2)
            break;
        if (n == 5 && i == 1)
            goto out;
        if (n == 6 && i == 3)
            return w(c);
        if (i == 1) {
            DEFER(end) int d = 1000;
            if (n == 7)
                continue;
            w(d);
        }
    }
    printf("|");
out:
    return a + b;
}
static pausable void two(int n)
{
    int tries = 0;
again:;
    DEFER(end) int x = w(tries);
    DEFER(freep) char *s = dup("abc");
    if (++tries < n)
        goto again;
    switch (w(n)) {
    case 1: {
        DEFER(end) int y = 5;
        w(1);
        break;
    }
    case 2:;
        DEFER(end) int z = 6;
        if (w(1))
            break;
        break;
    }
    while (({
        DEFER(end) int q = w(tries);
        q < 4;
    }))
        tries++;
    int v = ({
                DEFER(end) int k = w(3);
                DEFER(endg) struct g h = { k, "h" };
                h.a += w(1);
                h;
            }).a;
    printf("v%d", v);
    int plain = ({
        DEFER(end) int nn = 9;
        nn + 1;
    });
    int jump = ({
        if (plain == 11)
            return;
        DEFER(end) int nn = 8;
        if (n == 3) {
            s[0] = 'X';
            return;
        }
        nn;
    });
    printf("j%d", jump);
    ({
        if (n == 2) {
            return;
        }
    });
    do {
        DEFER(end) int u = 7;
        if (w(1))
            break;
    } while (w(1));
}
static pausable struct g three(int n)
{
    DEFER(endg) struct g g = { n, "g" };

    for (DEFER(end) int i = 0; i < w(3); i++) {
        if (n == 1 && i == 1)
            break;
        if (n == 2 && i == 1)
            continue;
        if (n == 3 && i == 2)
            return (struct g){ w(1), "r" };
        printf(".");
    }
    g.a++;
    return g;
}
static void unlock(int **l)
{
    (**l)--;
    printf("{unlock %d}", **l);
}
#define SCOPED(l)                                                                                  \
    for (int once_ = 1; once_; once_ = 0)                                                          \
        for (DEFER(unlock) int *lk = (++*(l), (l)); once_; once_ = 0)
static pausable int four(int n)
{
    int l = 0;
    SCOPED(&l)
    {
        w(1);
        if (n == 1)
            return l;
        SCOPED(&l)
        {
            if (n == 2)
                break;
            w(l);
        }
        printf("in %d", l);
    }
    return l;
}
static pausable void five(void)
{
    DEFER(end) int k = 1;
    w(1);
    DEFER(end) int j = 2;
    w(2);
    return (void)w(3);
}
static pausable int all(void)
{
    for (int i = 1; i < 8; i++)
        printf(" =%d\n", one(i));
    for (int i = 1; i < 4; i++) {
        two(i);
        printf("\n");
    }
    for (int i = 0; i < 4; i++) {
        struct g r = three(i);
        printf(" %s %d\n", r.n, r.a);
    }
    for (int i = 0; i < 3; i++)
        printf(" %d\n", four(i));
    five();
    printf("\n");
    return 0;
}
int main(void)
{
    return co4_run(all());
}
