/* empty_functions - pausable functions without a body to speak of, and without points.
 * expect: 1 2 3 4 */
#include <co4.h>
#include <stdio.h>

static pausable void nothing(void) {}

static pausable int constant(void)
{
    return 4;
}

static pausable void only_plain(void)
{
    int a[3] = { 1, 2, 3 };
    int *p = a;
    for (int i = 0; i < 3; i++)
        printf("%d ", *p++);
}

static pausable void only_waits(void)
{
    co4_yield();
}

static pausable void work(void)
{
    nothing();
    only_waits();
    only_plain();
    printf("%d\n", constant());
}

int main(void)
{
    co4_run(work());
    return 0;
}
