/* locals_of_all_kinds.c - types that hide each other, qualifiers, bit-fields, literals that are
 * kept, asm between points, computed gotos, jumps into scopes.
 * flags: -std=gnu11
 * expect: 300 68 70
 * expect: 11 13 25 21
 * expect: 121 */
#include <co4.h>
#include <stdio.h>
#include <string.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
struct s {
    int g;
};
typedef int T;
enum e { A = 1, B };
static pausable int shadows(int n)
{
    struct s x = { 1 };
    T t = 2;
    enum e e = B;
    struct {
        int q;
    } anon = { n }, *pa = &anon;
    w(1);
    {
        typedef double T;
        enum e { A = 10, B = 20 };
        struct t {
            char c;
        } y = { 'y' };
        T d = 1.5;
        enum e f = B;
        w(2);
        {
            typedef struct {
                T v;
            } U;
            U u = { d };
            U *pu = &u;
            w(3);
            pu->v += 1;
            d = u.v;
            struct tz {
                int z;
            } zz = { 7 };
            w(1);
            n += zz.z;
        }
        n += (int)(d * 2) + f + y.c + A;
        for (struct { int k; } i = { 0 }; i.k < 3; i.k++)
            n += w(i.k);
        struct t *py = &y;
        w(1);
        n += py->c;
    }
    pa->q += w(1);
    return n + x.g + t + e + A + anon.q;
}
static pausable int quals(int n)
{
    volatile int v = n;
    const int c = w(n) + 1;
    int *restrict r = (int *)&n;
    _Atomic int at = n;
    register int reg = n;
    const volatile int cv = w(3);
    struct b {
        unsigned a : 3, b : 5;
        int : 0;
        signed c : 7;
    } bf = { 1, 2, -3 };
    bf.a += w(1);
    bf.b = (unsigned)w(9);
    bf.c -= w(2);
    v += w(1);
    at += w(2);
    reg = reg * 2 + w(1);
    *r += w(1);
    static int st = 5;
    static _Thread_local int tl = 6;
    st += w(1);
    tl += w(1);
    int *lit = (int[]){ w(1), w(2), 3 };
    struct b *pb = &(struct b){ .a = (unsigned)w(3), .c = 1 };
    int s = 0;
    int *kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = (int[1]){ w(i) };
        s += kept[i][0] + w(1);
    }
    w(0);
    return v + c + n + at + reg + cv + (int)bf.a + (int)bf.b + bf.c + st + tl + lit[0] + lit[1] +
           lit[2] + (int)pb->a + pb->c + s;
}
static pausable int asms(int n)
{
    int a = w(n), b = w(2), out;
    __asm__ volatile("" : "=r"(out) : "0"(a));
    a += w(out);
    __asm__ volatile("" : "+r"(b), "+m"(a) : : "memory");
    register int k = w(b);
    __asm__("" : "+r"(k));
    return a + b + k + w(1);
}
static pausable int labels(int n)
{
    static void *const table[] = { &&one, &&two, &&end };
    int i = 0, s = 0;
    void *next = table[w(0)];
next:
    goto *next;
one:
    s += w(1);
    next = ++i < n ? &&one : &&two;
    goto next;
two:
    s += w(10);
    {
        int keep = s;
        void *to = table[w(2)];
        s = keep;
        goto *to;
    }
end:
    return s;
}
static pausable int duff(int n)
{
    int s = 0, k = (n + 3) / 4;
    switch (w(n) % 4) {
    case 0:
        do {
            s += w(1);
            __attribute__((fallthrough));
        case 3:
            s += w(2);
            __attribute__((fallthrough));
        case 2: {
            int z = w(3);
            s += z;
        }
            __attribute__((fallthrough));
        case 1:
            s += w(4);
        } while (--k > 0);
    }
    goto in;
    {
        int y = 5;
    in:
        y = w(6);
        s += y;
    }
    switch (n) {
        int q;
    case 5:
        q = w(1);
        s += q;
        break;
    default:
        q = w(2);
        s += q;
    }
    return s;
}
static pausable int fortypes(int n)
{
    struct p {
        int a, b;
    } list[2] = { { w(1), w(2) }, { .b = w(3) } };
    union u {
        int i;
        float f;
        char c[4];
    } u = { .f = (float)w(2) };
    enum { LOCAL = 3 } loc = LOCAL;
    int arr[LOCAL] = { [1] = w(4) };
    typedef int fn(int);
    fn *pf = NULL;
    typedef pausable int pfn(int);
    pfn *pp = w;
    int(*mat)[3] = &arr;
    const char *const names[] = { "a", "b" };
    u.f += (float)w(1);
    (*mat)[2] = pp(5);
    loc += w(0);
    return list[0].a + list[0].b + list[1].b + (int)u.f + arr[1] + arr[2] + (int)loc +
           (pf == NULL) + names[w(1)][0] + n;
}
static pausable int all(void)
{
    printf("%d", shadows(3));
    printf(" %d", quals(4));
    printf(" %d\n", quals(4));
    printf("%d", asms(3));
    printf(" %d", labels(3));
    printf(" %d %d\n", duff(6), duff(5));
    printf("%d\n", fortypes(1));
    return 0;
}
int main(void)
{
    return co4_run(all());
}
