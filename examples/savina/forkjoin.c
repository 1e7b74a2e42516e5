/* forkjoin.c - many short tasks are started, and all waited for.
 *
 *     forkjoin [TASKS]      40000 when absent */
#include "savina.h"

static atomic_long sum;

static pausable int compute(long n)
{
    long steps = 0;
    for (unsigned long x = (unsigned long)n; x > 1; steps++) /* Collatz' */
        x = x % 2 ? 3 * x + 1 : x / 2;
    sum += steps;
    return CO4_OK;
}

static pausable int fork_all(co4_scope *scope, void *arg)
{
    for (long i = 1; i <= *(long *)arg; i++)
        must(co4_scope_spawn(scope, compute(i)), "spawn");
    return CO4_OK;
}

static pausable void join_all(long *tasks)
{
    must(co4_scope_run(0, fork_all, tasks), "scope");
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1, 40000, 0, 10000000), expected;
    ON_ALL_PROCESSORS(join_all(&tasks));
    expected = sum;
    sum = 0;
    for (long i = 1; i <= tasks; i++)
        co4_run(compute(i));
    printf("%ld tasks took %ld steps\n", tasks, expected);
    return expected != sum;
}
