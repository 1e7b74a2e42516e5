/* namesakes.c - local types of one name, all needed across suspension points; types that a header
 * defines for the result; asm goto.
 * flags: -std=gnu11
 * expect: 270
 * expect: 20
 * expect: 131 */
#include <co4.h>
#include <stdio.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
static pausable int work(int n)
{
    struct s {
        int a;
    } x = { n }, *p = &x;
    enum e { ONE = 1 } e = ONE;
    p->a += w(1);
    {
        struct s {
            double d;
            struct s *next;
            long long wide; /* 24 bytes, whatever a pointer has */
        } y = { .d = 1.5 }, *q = &y;
        y.next = q;
        union u {
            int i;
            char c;
        } u = { .i = 3 };
        union u *pu = &u;
        enum e { TWO = 2 } f = TWO;
        enum e *pe = &f;
        x.a += w(2) + (int)q->next->d + pu->i + (int)*pe;
        {
            struct s {
                char c[3];
            } z = { "ab" }, *pz = &z;
            union u {
                short s;
            } v = { 4 }, *pv = &v;
            w(1);
            x.a += pz->c[w(1)] + pv->s + (int)sizeof(struct s) + ((struct s){ "x" }).c[w(0)] + u.i;
            w((int)sizeof(union u));
            pv->s++;
        }
        q = &(struct s){ .d = w(4) };
        w(0);
        x.a += (int)q->d + (int)((struct s *)q)->d + (int)(sizeof(struct s) / 16 * 16);
    }
    struct s again = { w(5) }, *pa = &again;
    w(1);
    return p->a + pa->a + (int)e;
}
static pausable int jumps(int n)
{
    int k = w(n), j = 0;
    __asm__ goto("" : : "r"(k) : : out, other);
    k += w(10);
    j = w(2);
    for (int i = 0; i < 3; i++) {
        __asm__ goto("" : : : "memory" : other);
        j += w(i);
    }
other:
    k += j;
out:
    return k + w(1);
}
static pausable struct made {
    int v;
    struct in {
        char c;
    } in;
} make(int v)
{
    struct made m = { w(v), { 'x' } };
    return m;
}
static pausable struct {
    int q;
} * anon(int v)
{
    static struct made m;
    m = make(w(v));
    return (void *)&m;
}
static pausable enum color { RED = 3, BLUE } paint(int v)
{
    return w(v) ? BLUE : RED;
}
pausable int f2(void)
{
    struct made m = make(3);
    struct in i = m.in;
    enum color c = paint(1);
    return m.v + i.c + (int)c + ((struct made *)(void *)anon(4))->v;
}
int main(void)
{
    printf("%d\n", co4_run(work(3)));
    printf("%d\n", co4_run(jumps(4)));
    printf("%d\n", co4_run(f2()));
    return 0;
}
