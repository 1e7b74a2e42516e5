/* named_as_parameter.c - a parameter that has the name of its function.
 * expect: 11 named 3 3 */
#include <co4.h>
#include <stdio.h>

static pausable int twice(int twice)
{
    co4_yield();
    return twice + twice + 1;
}

static pausable const char *named(const char *named, int *kept)
{
    int value = 3;
    kept = &value;
    co4_yield();
    printf("%s %d ", __func__, *kept);
    return named;
}

static pausable int work(int work)
{
    printf("%d ", twice(5));
    return *named("3", &work) - '0';
}

int main(void)
{
    int result = co4_run(work(1));
    printf("%d\n", result);
    return 0;
}
