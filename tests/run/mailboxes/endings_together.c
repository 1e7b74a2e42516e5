/* endings_together.c - statement expressions, cleanup attributes, arrays of computed length and
 * jumps out of all of them, nested.
 * flags: -std=gnu11 -Wno-unused-variable
 * expect: <0>{0}<100><1><200>{1}<101><1><1> =8
 * expect: <0>{0}<100><1><200>{1}<101><2>{2}<102><2><2> =25
 * expect: <0>{0}<100><1><200>{1}<101><2>{2}<102><3> =16
 * expect: <0>{0}<100><1><200>{1}<101><2>{2}<102><3>{3}<103>{4}<104><4> =-7
 * expect: <0>{0}<100><1><200>{1}<101><2>{2}<102><3>{3}<103>{4}<104><5> =-7
 * expect: <0><1><2><3>[1 3] 6<0><1><2><3>[4 6] -3
 * expect: <10><1><20><2><30><3><40><4> 111
 * expect: <3>al 5 0 6<9><3>al 5 0 6 depth 0 */
#include <co4.h>
#include <stdio.h>
#include <string.h>
static int depth;
static pausable int w(int n)
{
    co4_yield();
    return n;
}
static void end(int *p)
{
    printf("<%d>", *p);
    depth--;
}
static void endrow(int (*p)[3])
{
    printf("[%d %d]", (*p)[0], (*p)[2]);
}
static void endp(char **p)
{
    printf("{%s}", *p);
}
#define D __attribute__((cleanup(end)))
#define TRY(x)                                                                                     \
    ({                                                                                             \
        int t_ = (x);                                                                              \
        if (t_ < 0)                                                                                \
            return t_;                                                                             \
        t_;                                                                                        \
    })
struct big {
    int v[30];
};
static pausable struct big mk(int n)
{
    D int g = n;
    depth++;
    struct big b = { { n, w(n) } };
    b.v[29] = w(n + 1);
    return b;
}
static pausable int a1(int n)
{
    D int outer = n;
    depth++;
    int vla[n + 1];
    memset(vla, 0, sizeof vla);
    for (int i = 0; i <= n; i++) {
        D int inner = 100 + i;
        depth++;
        char text[({ w(i) + 3; })];
        snprintf(text, sizeof text, "%d", i);
        __attribute__((cleanup(endp))) char *tp = text;
        vla[i] = TRY(w(i == 4 ? -7 : i)) + ({
                     D int se = w(i);
                     depth++;
                     int se2[se + 1];
                     se2[se] = se;
                     if (i == 3 && n == 5) {
                         vla[0] = 50;
                         continue;
                     }
                     se2[se];
                 });
        if (i == 2 && n == 3)
            goto done;
        switch (w(i)) {
        case 1: {
            D int sw = 200;
            depth++;
            if (n == 2)
                break;
        } /* fall through */
        default:;
        }
    }
    vla[n] += mk(n).v[({ w(29); })];
done:
    return ({
        int s = 0;
        for (int i = 0; i <= n; i++)
            s += vla[i] * w(i + 1);
        s;
    });
}
static pausable int a2(int n)
{
    __attribute__((cleanup(endrow))) int row[3] = { n, w(2), w(n) };

    int r = 0;
    while (({
        D int c = r;
        depth++;
        w(c) < 3;
    })) {
        int k[r + 1][2];
        k[r][1] = w(r + 1);
        r = k[r][1];
        if (r == 2)
            row[2] += r;
    }
    return r + TRY(row[2] > 5 ? w(-r) : w(r));
}
static pausable int rec(int n)
{
    if (n == 0)
        return w(1);
    D int d = n;
    depth++;
    int v[n];
    v[n - 1] = rec(n - 1);
    __attribute__((cleanup(end))) int e = n * 10;
    depth++;
    return v[n - 1] + w(n) + _Generic(n, int : w(e), default : 0);
}
static pausable void a3(int n)
{
    for (D int i = w(n); depth++, i < 3; i++) {
        if (i == 1) {
            depth--;
            continue;
        }
        depth--;
        w(i);
    }
    _Alignas(64) int al[n + 2];
    al[n + 1] = w(5);
    printf("al %d %d ", al[n + 1], (int)((unsigned long)al % 64));
    long double ld[w(2)];
    ld[1] = w(3);
    _Complex double z = ld[1] * w(2);
    printf("%g", __real__ z);
    if (w(n))
        return;
    D int tail = 9;
    depth++;
    w(1);
}
static pausable int all(void)
{
    for (int i = 1; i < 6; i++)
        printf(" =%d\n", a1(i));
    printf(" %d", a2(1));
    printf(" %d\n", a2(4));
    printf(" %d\n", rec(4));
    a3(0);
    a3(1);
    printf(" depth %d\n", depth);
    return 0;
}
int main(void)
{
    return co4_run(all());
}
