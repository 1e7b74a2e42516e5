/* typedef_prototype - functions that a marked typedef alone declares, before and after their
 * definition.
 * expect: large 10 */
#include <co4.h>
#include <stdio.h>

typedef pausable double measure(int);
typedef pausable const char *naming(double);

static measure half;
measure outer;
static naming name;

static pausable int use(int n)
{
    double d = half(n) + outer(n);
    printf("%s ", name(d));
    return (int)(d * 2);
}

static pausable double half(int n)
{
    co4_yield();
    return n / 2.0;
}

pausable double outer(int n)
{
    co4_yield();
    return n + 0.5;
}

static pausable const char *name(double d)
{
    co4_yield();
    return d > 4 ? "large" : "small";
}

static pausable void work(void)
{
    printf("%d\n", use(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
