/* entry_pointer_parameter.c - entry points pass pausable pointers along, marked on the parameter
 * and by a typedef.
 * expect: run 4 2
 * expect: spawned 6
 * expect: generated 3
 * expect: mixed 12 */
#include <co4.h>
#include <stdio.h>

typedef pausable int step(int);

static pausable int add(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int apply(pausable int (*f)(int), int n)
{
    return f(n) + 1;
}

static pausable int apply_typed(step *f, int n)
{
    return f(n);
}

static pausable void show(const char *what, pausable int (*f)(int), int n)
{
    printf("%s %d\n", what, f(n));
}

static pausable void yield_one(pausable int (*f)(int))
{
    int value = f(2);
    co4_gen_yield(&value);
}

static pausable_or_plain int both(pausable int (*f)(int), int n)
{
    return f(n) * 2;
}

static pausable int main_task(void)
{
    co4_spawn(show("spawned", add, 5));
    return 0;
}

int main(void)
{
    int first = co4_run(apply(add, 2));
    printf("run %d %d\n", first, co4_run(apply_typed(add, 1)));
    co4_run(main_task());
    int value = 0;
    co4_gen *g = co4_generate(yield_one(add));
    while (co4_gen_next(g, &value) == 0)
        printf("generated %d\n", value);
    co4_gen_destroy(g);
    printf("mixed %d\n", both(add, 5));
    return 0;
}
