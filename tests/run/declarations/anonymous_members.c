/* anonymous_members - calls that pause in the values of designators that lead through members
 * without a name, also by index, nested, in arrays, in the GNU form; marked pointers among them.
 * flags: -Wno-gnu-designator
 * expect: 1 2 3 4 5 6 | 7 8 | 9 10 | 11
 * expect: 12 12 14 15 | 16 17 18 */
#include <co4.h>
#include <stdio.h>

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

struct s {
    int k;
    struct {
        int a, b;
    };
    union {
        int c;
        struct {
            int d[2], e;
            pausable int (*f)(int);
        };
    };
};

struct outer {
    struct s in[2];
    union {
        struct s only;
        struct {
            int x, y;
        };
    };
};

static pausable void designated(void)
{
    struct s s = { .k = 1, .a = next(1), .b = next(2), .d = { next(3), next(4) }, .e = next(5) };
    struct s t = { .d[1] = next(7), .a = 7 };
    struct s u[2] = { [1].b = next(8), [0].e = next(9) };
    printf("%d %d %d %d %d %d | ", s.k, s.a, s.b, s.d[0], s.d[1], s.e);
    printf("%d %d | %d %d | ", t.a, t.d[1], u[1].b, u[0].e);
    printf("%d\n", (struct s){ .b = /* {, */ next(10) }.b);
}

static pausable void nested(void)
{
    struct outer o = { .in[0].e = next(11), .in[0].f = next, .in[1].a = next(12), .y = next(13) };
    static const int index = 1;
    const struct outer *const at = &(struct outer){ .in = { [1].d[1] = next(14) } };
    struct s old = { a : next(15), d : { next(16), 0 }, f : next };
    printf("%d %d %d ", o.in[0].f(11), o.in[0].e, o.y);
    printf("%d | %d %d %d\n", at->in[index].d[1], old.a, old.d[0], old.f(17));
}

int main(void)
{
    co4_run(designated());
    co4_run(nested());
    return 0;
}
