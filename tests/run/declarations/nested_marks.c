/* nested_marks.c - pointers to pausable functions whose parameters are such pointers, without a
 * typedef: their declarations are written again where they are kept, and keep the marks inside.
 * expect: fields 31 5
 * expect: qualified 4
 * expect: array 2
 * expect: deeper 4 5
 * expect: pinned 13
 * expect: mixed 1 2 */
#include <co4.h>

#include <stdio.h>

struct ops {
    pausable int (*op)(pausable int (*f)(int), int);
};

pausable_or_plain int mixed(pausable int (*f)(pausable int (*)(int), int), int n);

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int apply(pausable int (*f)(int), int n)
{
    return f(n);
}

static pausable int (*global)(pausable int (*f)(int), int) = apply;

/* f is a parameter that is saved, and a value kept in `f(…) + f(…)`. */
static pausable int twice(pausable int (*f)(pausable int (*g)(int), int), int n)
{
    return f(wait_for, n) + f(wait_for, n + 1);
}

static pausable int fields(void)
{
    struct ops ops = { apply };
    pausable int (*local)(pausable int (*)(int), int) = apply;
    int sum = ops.op(wait_for, 1) + wait_for(2);
    sum += local(wait_for, 3);
    sum += global(wait_for, wait_for(4));
    return sum + twice(apply, 10);
}

static pausable int qualified(pausable int (*const f)(pausable int (*)(int), int), int n)
{
    pausable int (*const local)(pausable int (*)(int), int) = f;
    pausable int (*volatile other)(pausable int (*)(int), int) = local;
    int sum = wait_for(1);
    return local(wait_for, n) + sum + other(wait_for, 2);
}

static pausable int array(int n)
{
    pausable int (*list[2])(pausable int (*)(int), int) = { apply, global };
    return list[wait_for(1)](wait_for, n) + list[0](wait_for, n);
}

static pausable int deeper(int n)
{
    pausable int (*f)(pausable int (*)(pausable int (*)(int), int), int) = twice;
    return f(apply, wait_for(n)) + n;
}

static pausable int by_address(pausable int (**f)(pausable int (*)(int), int), int n)
{
    return (*f)(wait_for, n) + wait_for(1);
}

static pausable int pinned(int n)
{
    struct {
        pausable int (*op)(pausable int (*f)(int), int);
    } local = { apply }, *at = &local;
    int sum = by_address(&at->op, n) + wait_for(1) + local.op(wait_for, 5);
    return sum + (*local.op)(wait_for, 5);
}

pausable_or_plain int mixed(pausable int (*f)(pausable int (*)(int), int), int n)
{
    return f(wait_for, n);
}

int main(void)
{
    pausable int (*f)(pausable int (*)(pausable int (*)(int), int), int) = twice;
    printf("fields %d", co4_run(fields()));
    printf(" %d\n", co4_run(twice(apply, 2)));
    printf("qualified %d\n", co4_run(qualified(apply, 1)));
    printf("array %d\n", co4_run(array(1)));
    printf("deeper %d", co4_run(deeper(1)));
    printf(" %d\n", co4_run(f(apply, 2)));
    printf("pinned %d\n", co4_run(pinned(1)));
    printf("mixed %d", co4_run(mixed(apply, 1)));
    printf(" %d\n", mixed(apply, 2));
    return 0;
}
