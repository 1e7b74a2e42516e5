/* blocking - ordinary calls with all kinds of arguments and results, made by other threads or in
 * place: each once, with f's own value.
 * expect: sum 7, twice 14
 * expect: half 2.5, text tt3
 * expect: wide 5 .. 12, by value 15
 * expect: void: 3 calls
 * expect: through a pointer: 9 16
 * expect: in expressions: 7 1 0 10
 * expect: no arguments: 42, in a loop: 0 1 4 9 16
 * expect: constant members: 3 4
 * expect: a pausable_or_plain one: 10
 * expect: size 4, not called
 * expect: declared inside: 8
 * expect: many: 5050 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

struct wide {
    int n[8];
};

struct fixed {
    const int a, b;
};

struct ops {
    int (*square)(int n);
};

static int calls;

static int add(int a, int b)
{
    return a + b;
}

static double half(const double *d, int by)
{
    return *d / by;
}

static char *fill(char *to, char c, size_t n)
{
    memset(to, c, n);
    to[n] = '\0';
    return to;
}

static struct wide count_from(int first)
{
    struct wide w;
    for (int i = 0; i < 8; i++)
        w.n[i] = first + i;
    return w;
}

static int sum_of(struct wide w, int first)
{
    int sum = first;
    for (int i = 0; i < 5; i++)
        sum += w.n[i];
    return sum;
}

static void count(int *n)
{
    ++*n;
    calls++;
}

static int square(int n)
{
    return n * n;
}

static int answer(void)
{
    return 42;
}

static struct fixed fixed(struct fixed f, int by)
{
    return (struct fixed){ f.a + by, f.b + by };
}

pausable_or_plain int both(int n)
{
    return 2 * n;
}

static pausable int ticked(int n)
{
    co4_yield();
    return n;
}

static pausable void kinds(struct ops *ops)
{
    int sum = co4_blocking(add(3, 4));
    printf("sum %d, twice %d\n", sum, 2 * co4_blocking(add(sum - 4, 4)));

    char text[8] = "";
    double d = 5;
    printf("half %.1f", co4_blocking(half(&d, 2)));
    printf(", text %s%d\n", co4_blocking(fill(text, 't', 2)), 3);

    struct wide w = co4_blocking(count_from(5));
    int rest = co4_blocking(sum_of(count_from(1), 0));
    printf("wide %d .. %d, by value %d\n", w.n[0], w.n[7], rest);

    int n = 0;
    co4_blocking(count(&n));
    if (n == 1)
        co4_blocking(count(&n));
    (void)0, co4_blocking(count(&n));
    printf("void: %d calls\n", n == calls ? n : -1);

    int (*f)(int) = square;
    int nine = co4_blocking(f(3));
    printf("through a pointer: %d %d\n", nine, co4_blocking(ops->square(4)));

    int yes = n == 3 && co4_blocking(add(n, 0)) == 3, no = n == 4 && co4_blocking(add(n, 0)) == 3;
    printf("in expressions: %d %d %d %d\n", co4_blocking(add(ticked(3), ticked(4))), yes, no,
           n == 3 ? co4_blocking(add(co4_blocking(square(3)), 1)) : 0);

    printf("no arguments: %d, in a loop:", co4_blocking(answer()));
    for (int i = 0; i < 5; i++)
        printf(" %d", co4_blocking(square(i)));
    puts("");

    struct fixed one = { 1, 2 };
    struct fixed three = co4_blocking(fixed(one, 2));
    printf("constant members: %d %d\n", three.a, three.b);
    printf("a pausable_or_plain one: %d\n", co4_blocking(both(5)));
    int before = calls;
    size_t size = sizeof(co4_blocking(add(1, 2)));
    printf("size %d, %s\n", (int)size, calls == before ? "not called" : "called");
}

static pausable void declared_inside(void)
{
    extern int elsewhere(int n);
    printf("declared inside: %d\n", co4_blocking(elsewhere(7)));
}

int elsewhere(int n)
{
    return n + 1;
}

static pausable int one_of_many(int n)
{
    return co4_blocking(add(n, 0));
}

static pausable void many(void)
{
    int sum = 0;
    co4_future *f[100];
    for (int i = 0; i < 100; i++)
        f[i] = co4_async(one_of_many(i + 1));
    for (int i = 0; i < 100; i++) {
        int n = 0;
        co4_future_await(f[i], &n);
        sum += n;
        co4_future_release(f[i]);
    }
    printf("many: %d\n", sum);
}

int main(void)
{
    struct ops ops = { square };
    co4_run(kinds(&ops));
    co4_run(declared_inside());
    co4_run(many());
    co4_blocking_stop();
    return 0;
}
