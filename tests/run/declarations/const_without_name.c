/* const_without_name - const locals of structs and unions that have no name at file scope, with
 * arrays in them: pinned, they live in the frame as bytes, which get their first value there.
 * expect: 71
 * expect: 3 2 11
 * expect: const plain const */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

union word {
    int n;
    char c[4];
};

static pausable int sums(void)
{
    typedef const struct {
        int x, a[2];
    } fixed;
    struct named {
        int z[2];
    };
    const struct {
        int x, a[2];
    } p = { 1, { 2, 3 } };
    const union {
        int n;
        char c[4];
    } q = { 5 };
    const union word r = { 6 };
    fixed s = { 7, { 8, 9 } };
    const struct {
        int x, a[2];
    } list[2] = { { 1, { 2, 3 } }, { 2, { 3, 4 } } };
    const struct {
        const int y;
        struct named in;
    } t = { 1, { { 2, 3 } } };
    const struct {
        int x;
    } small = { 4 };
    const volatile struct named v = { { 10, 11 } }, *const at = &v;
    int n = wait_for(1);
    n += p.a[0] + p.a[1] + q.n + r.n + s.x + s.a[0] + s.a[1] + list[1].a[0] + list[1].a[1];
    return n + t.y + t.in.z[1] + small.x + at->z[0] + v.z[1] - wait_for(6);
}

static pausable int copied(int n)
{
    const struct {
        int of[3];
    } all = { { 1, 2, 3 } }, *const last = &all;
    const struct pair {
        int a[2];
    } pair = n ? (const struct pair){ { 2, 9 } } : (const struct pair){ { 0 } };
    wait_for(n);
    printf("%d %d ", last->of[2], pair.a[0]);
    return pair.a[wait_for(1)] + last->of[wait_for(1)];
}

static pausable const char *chosen(void)
{
    const struct {
        int a[2];
    } c = { { 1, 2 } };
    struct {
        int a[2];
    } d = { { 1, 2 } };
    wait_for(c.a[0]);
    printf("%s %s ", _Generic(&c.a[0], const int *: "const", int *: "plain"),
           _Generic(&d.a[0], const int *: "const", int *: "plain"));
    return _Generic(c.a, const int * : "const", int * : "plain");
}

static pausable void work(void)
{
    printf("%d\n", sums());
    printf("%d\n", copied(1));
    puts(chosen());
}

int main(void)
{
    co4_run(work());
    return 0;
}
