/* single_entry.c - one body for both ways in: results of all widths, pinned locals, loops,
 * recursion.
 * weave: --entry=single
 * expect: 55 120
 * expect: wide 3 6 9
 * expect: pinned 10 20 30
 * expect: void 2
 * expect: deep 100 */
#include <co4.h>
#include <stdio.h>

struct wide {
    long a, b, c;
};
static int voids;

static pausable int fib(int n)
{
    if (n < 2) {
        co4_yield();
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}

static pausable long product(long n)
{
    long p = 1;
    for (long i = 1; i <= n; i++) {
        co4_yield();
        p *= i;
    }
    return p;
}

static pausable struct wide widen(int n)
{
    struct wide w = { n, 0, 0 };
    co4_yield();
    w.b = 2 * w.a;
    co4_yield();
    w.c = w.a + w.b;
    return w;
}

static pausable void fill(int *out, int count)
{
    for (int i = 0; i < count; i++) {
        co4_yield();
        out[i] = 10 * (i + 1);
    }
}

static pausable void nothing(void)
{
    voids++;
    co4_yield();
    voids++;
}

static pausable int deep(int n)
{
    int here = n;
    if (n > 0)
        here = 1 + deep(n - 1);
    else
        co4_yield();
    return here;
}

static pausable int all(void)
{
    int cells[3], f = fib(10);
    long p = product(5);
    printf("%d %ld\n", f, p);
    struct wide w = widen(3);
    printf("wide %ld %ld %ld\n", w.a, w.b, w.c);
    fill(cells, 3);
    printf("pinned %d %d %d\n", cells[0], cells[1], cells[2]);
    nothing();
    printf("void %d\n", voids);
    printf("deep %d\n", deep(100));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
