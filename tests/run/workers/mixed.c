/* mixed.c - pausable_or_plain: one function called from pausable code, from plain code and through
 * plain pointers.
 * expect: sorted 1 2 3 5 8
 * expect: from plain: 15 55 wide 7 9 name total
 * expect: from pausable: 15 55 wide 7 9 name total
 * expect: pointers: 20 20 20 42 42
 * expect: parity 1 0
 * expect: same 1 1
 * expect: twice 7 times
 * expect: hello
 * expect: sizes 4 4 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

struct wide {
    long first, second, more[6];
};

pausable_or_plain int total(const int *values, int count, const char **name), twice(int n);
static pausable_or_plain int fib(int n);
pausable_or_plain static struct wide make(long a, long b);
static int twices;

static pausable_or_plain int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    co4_yield();
    return (x > y) - (x < y);
}

pausable_or_plain int total(const int *values, int count, const char **name)
{
    int sum = 0;
    *name = __func__;
    for (int i = 0; i < count; i++) {
        co4_yield();
        sum += values[i];
    }
    return sum;
}

static pausable_or_plain int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

pausable_or_plain static struct wide make(long a, long b)
{
    struct wide w = { a, b, { 0 } };
    co4_yield();
    return w;
}

pausable_or_plain int twice(int n)
{
    static int calls; /* one for both forms */
    twices = ++calls;
    return 2 * n;
}

static pausable_or_plain int is_odd(unsigned n);
static pausable_or_plain int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
static pausable_or_plain int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

/* with nothing to return, and a body that never waits */
static pausable_or_plain void shout(const char *what)
{
    puts(what);
}

static int (*const plain_table[])(int) = { twice, &twice };
static pausable int (*const woven_table[])(int) = { twice, &twice };

static int plain_apply(int (*f)(int), int n)
{
    return f(n);
}

static pausable int apply(pausable int (*f)(int), int n)
{
    return f(n);
}

#define SHOW(where)                                                                                \
    do {                                                                                           \
        static const int values[] = { 1, 2, 3, 4, 5 };                                             \
        const char *name;                                                                          \
        int sum = total(values, 5, &name), f = fib(10);                                            \
        struct wide w = make(7, 9);                                                                \
        printf("from %s: %d %d wide %ld %ld name %s\n", where, sum, f, w.first, w.second, name);   \
    } while (0)

static pausable int woven_side(int flag)
{
    SHOW("pausable");
    int (*plain)(int) = flag ? twice : NULL;
    pausable int (*woven)(int) = flag ? NULL : twice;
    int a = plain_apply(plain, 10), b = apply(twice, 10), c = plain_apply(flag ? twice : abs, 10);
    printf("pointers: %d %d %d", a, b, c);
    printf(" %d %d\n", plain_table[1](21), woven_table[flag](21));
    printf("parity %d %d\n", is_even(8), is_even(7));
    woven = twice;
    printf("same %d %d\n", plain == twice, woven == twice);
    return 0;
}

int main(void)
{
    int values[] = { 5, 2, 8, 1, 3 };
    qsort(values, 5, sizeof *values, compare);
    printf("sorted");
    for (int i = 0; i < 5; i++)
        printf(" %d", values[i]);
    puts("");
    SHOW("plain");
    co4_run(woven_side(1));
    twice(1);
    co4_run(twice(1));
    printf("twice %d times\n", twices);
    shout("hello");
    printf("sizes %d %d\n", (int)sizeof twice(0), (int)sizeof(*plain_table)(0));
    return 0;
}
