/* const_inside.c - structs that cannot be assigned, as a struct or an array inside them has a const
 * member: as results, arguments, in the frame, and as values of an expression.
 * expect: 1 2 3 4 5 6
 * expect: 7 8 9 10 */
#include <co4.h>
#include <stdio.h>

struct inner {
    const int k;
    int v;
};
struct outer {
    struct inner in[2];
};
typedef const int fixed[2];
struct row {
    union {
        struct {
            fixed f;
        } deep;
        long l;
    } u;
};

static pausable struct outer make(int n)
{
    co4_yield();
    struct outer o = { { { n, n + 1 }, { n + 2, n + 3 } } };
    return o;
}

static pausable struct row make_row(int n)
{
    struct row r = { { { { n, n + 1 } } } };
    co4_yield();
    return r;
}

static pausable int see(const struct outer *o)
{
    co4_yield();
    return o->in[1].v;
}

static pausable int pick(struct outer o, struct row r)
{
    co4_yield();
    return o.in[0].k + r.u.deep.f[0];
}

static pausable int all(void)
{
    struct outer o = make(1), p = o, q = { { { 5, 6 }, { 0, 0 } } };
    struct row r = make_row(7), s = r;
    co4_yield();
    printf("%d %d %d %d %d %d\n", o.in[0].k, o.in[0].v, p.in[1].k, see(&p), q.in[0].k, q.in[0].v);
    printf("%d %d %d %d\n", r.u.deep.f[0], s.u.deep.f[1], pick(make(2), make_row(7)),
           make(7).in[1].v);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
