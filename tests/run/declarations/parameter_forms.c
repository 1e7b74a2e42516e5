/* parameter_forms - parameters written as arrays, functions, and through typedefs with const
 * inside.
 * expect: 29 5 15 400 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef pausable int step(int);
typedef step *step_pointer;
typedef step *const fixed_step;
typedef const int fixed;
typedef int row[2];

static pausable int arrays(int a[], int b[static 2], row c, const row d, int(e)[2], row *f, int n)
{
    a[0] += wait_for(n);
    return a[0] + b[1] + c[0] + d[1] + e[0] + (*f)[1] + wait_for(n);
}

static pausable int functions(pausable int f(int), step g, step_pointer h, fixed_step i, fixed n)
{
    return f(n) + g(n + 1) + h(n) + i(n);
}

static int plain(int n)
{
    return 100 * n;
}

static pausable int plain_functions(int f(int), int (*const g)(int), int n)
{
    n = wait_for(n);
    return f(n) + g(wait_for(n));
}

static pausable int locals(int n)
{
    typedef pausable int local_step(int);
    local_step *s = wait_for;
    fixed_step t = wait_for;
    const struct {
        int a, b;
    } one = { 3, wait_for(n) }, two = one;
    typedef struct {
        int a;
    } local;
    local made = { s(3) };
    const local copy = made;
    return s(1) + t(2) + one.a + two.b + copy.a;
}

static pausable void work(void)
{
    int a[2] = { 1, 2 }, b[2] = { 3, 4 };
    printf("%d ", arrays(a, b, b, b, b, &b, 5));
    printf("%d %d ", functions(wait_for, wait_for, wait_for, wait_for, 1), locals(6));
    printf("%d\n", plain_functions(plain, plain, 2));
}

int main(void)
{
    co4_run(work());
    return 0;
}
