/* initialised_members - a function for both worlds is pausable or plain as the member is that an
 * initializer puts it in: by designators of several steps, through members without a name, with
 * braces left out, behind a designator, in arrays.
 * flags: -Wno-missing-braces -Wno-missing-field-initializers
 * expect: 2 3 4 2 3 4 2 3 4 5 2 3 4
 * expect: 6 7 8 9 10 11 12 13 */
#include <co4.h>
#include <stdio.h>

static pausable_or_plain int both(int n)
{
    co4_yield();
    return n + 1;
}
struct s {
    int k;
    struct {
        int a;
        pausable int (*f)(int);
    };
    union {
        struct {
            pausable int (*g)(int);
            int (*h)(int);
        };
    };
};
struct o {
    struct s in[2];
    struct s one;
};
static pausable void work(void)
{
    struct s s = { .f = both, .h = both, .g = both };
    struct s t = { 1, { 2, both }, { { both, both } } };
    struct o o = { .in[1].f = both, .one.g = both, .in[0].h = both, .one.h = both };
    struct s u = { 1, 2, both, both, both };
    printf("%d %d %d ", s.f(1), s.g(2), s.h(3));
    printf("%d %d %d ", t.f(1), t.g(2), t.h(3));
    printf("%d %d %d %d ", o.in[1].f(1), o.one.g(2), o.in[0].h(3), o.one.h(4));
    printf("%d %d %d\n", u.f(1), u.g(2), u.h(3));
}
struct row {
    int n : 4, : 4;
    pausable int (*f[2])(int);
    int (*g[2])(int);
};

static pausable void rows(void)
{
    struct row flat[2] = { 1, both, both, both, both, 2, both };
    struct row mixed_up = { .g[1] = both, .f = { [1] = both }, both };
    static const struct row copied[2] = { [0].g[1] = both, [1].f[1] = both, both };
    printf("%d %d %d ", flat[0].f[1](5), flat[0].g[0](6), flat[1].f[0](7));
    printf("%d %d %d ", mixed_up.g[1](8), mixed_up.f[1](9), mixed_up.g[0](10));
    printf("%d %d\n", copied[1].f[1](11), copied[1].g[0](copied[0].g[1](11)));
}

int main(void)
{
    co4_run(work());
    co4_run(rows());
    return 0;
}
