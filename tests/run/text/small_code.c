/* small_code.c - the smallest code: one body, its own entry where nothing is around it; no tables;
 * saves out of line.
 * weave: --entry=single --tables=none
 * flags: -Os
 * expect: 55 in fib
 * expect: wide 3 6 9
 * expect: 4 4 even
 * expect: inline 7, at least 2: 30
 * expect: none
 * expect: 1 2 3
 * expect: plain 9, woven 9 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

struct wide {
    long a, b, c;
};

static const char *name;

static pausable int fib(int n)
{
    name = __func__;
    if (n < 2) {
        co4_yield();
        name = __func__;
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}

/* A result that its caller's frame takes: where, is in the table that is kept. */
static pausable struct wide grow(struct wide from, long by)
{
    for (int i = 0; i < 2; i++) {
        co4_yield();
        from.a += by, from.b += 2 * by, from.c += 3 * by;
    }
    return from;
}

static pausable struct wide grow_more(long by)
{
    struct wide once = grow((struct wide){ 1, 2, 3 }, by);
    return grow(once, 0);
}

static pausable int odd(int n);

static pausable int even(int n)
{
    co4_yield();
    return n == 0 ? 1 : odd(n - 1);
}

static pausable int odd(int n)
{
    int pinned = n;
    int *p = &pinned;
    co4_yield();
    return *p == 0 ? 0 : even(*p - 1);
}

static inline pausable int in_line(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int at_least(int values[static 2])
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        co4_yield();
        sum += values[i];
    }
    return sum;
}

static pausable void nothing(const char **out)
{
    co4_yield();
    *out = "none";
}

static pausable void count(int last)
{
    for (int i = 1; i <= last; i++)
        co4_gen_yield(&i);
}

static pausable_or_plain int square(int n)
{
    co4_yield();
    return n * n;
}

static pausable int both(int n)
{
    return square(n);
}

int main(void)
{
    int n = co4_run(fib(10));
    printf("%d in %s\n", n, name);
    struct wide w = co4_run(grow_more(1));
    printf("wide %ld %ld %ld\n", w.a, w.b, w.c);
    printf("%d %d %s\n", 4, 4, co4_run(even(4)) ? "even" : "odd");
    printf("inline %d, at least 2: %d\n", co4_run(in_line(6)),
           co4_run(at_least((int[]){ 10, 20 })));
    const char *text = "";
    co4_run(nothing(&text));
    printf("%s\n", text);
    co4_gen *g = co4_generate(count(3));
    int value;
    for (int i = 0; co4_gen_next(g, &value) == CO4_OK; i++)
        printf("%s%d", i ? " " : "", value);
    printf("\n");
    co4_gen_destroy(g);
    printf("plain %d, woven %d\n", square(3), co4_run(both(3)));
}
