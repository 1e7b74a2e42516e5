/* function_pointers - pausable pointers as variables, parameters, members, elements and through
 * pointers.
 * expect: 10 7 14 12 6 4 4 10 16 10 2 4 4 8
 * expect: 2 4 4 none */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int odd_waits(int n)
{
    if (n % 2 != 0)
        co4_yield();
    return n;
}

static pausable int add_one(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int twice(int n)
{
    return odd_waits(n) * 2;
}

static pausable int (*global)(int) = add_one;

struct machine {
    pausable int (*step)(int);
    struct {
        pausable int (*steps[2])(int);
    } more;
};

static pausable int apply(pausable int (*f)(int), int n)
{
    return f(n) + (*f)(n);
}

static pausable int through(pausable int (**f)(int), int n)
{
    return (*f)(n);
}

static pausable void work(void)
{
    pausable int (*f)(int) = twice, (*none)(int) = NULL;
    static pausable int (*kept)(int) = twice;
    pausable int (*both[])(int) = { add_one, twice, &add_one };
    struct machine m = { twice, { { add_one, twice } } }, *p = &m;
    printf("%d %d %d %d ", f(5), global(6), kept(7), apply(f, 3));
    f = add_one;
    printf("%d %d %d ", f(5), apply(add_one, 1), apply(&twice, 1));
    global = f == add_one && none == NULL ? twice : add_one;
    printf("%d %d %d ", global(5), (wait_for(0) ? add_one : twice)(8), both[wait_for(2)](9));
    p->step = both[0];
    printf("%d %d %d %d\n", m.step(1), p->more.steps[1](2), through(&f, 3), through(&both[1], 4));
    for (int i = 0; i < 3; i++)
        printf("%d ", both[i](both[2 - i](i)));
    puts(none ? "some" : "none");
}

int main(void)
{
    co4_run(work());
    return 0;
}
