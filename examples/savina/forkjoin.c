/* forkjoin.c - many short tasks are started, and all waited for.
 *
 *     forkjoin [TASKS]      40000 when absent */
#include "savina.h"

static atomic_long sum;

static long collatz(long n)
{
    long steps = 0;
    for (unsigned long x = (unsigned long)n; x > 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

static pausable int compute(long n)
{
    sum += collatz(n);
    return CO4_OK;
}

static pausable int fork_all(long tasks)
{
    for (long i = 1; i <= tasks; i++)
        TRY(co4_scope_spawn(co4_scope_here(), compute(i)));
    return CO4_OK;
}

static pausable int join_all(long *tasks)
{
    return co4_scope_run(0, fork_all(*tasks));
}

int main(int argc, char **argv)
{
    long tasks = argument(argc, argv, 1, 40000, 0, 10000000), expected = 0;
    ON_ALL_PROCESSORS(join_all(&tasks));
    for (long i = 1; i <= tasks; i++)
        expected += collatz(i);
    printf("%ld tasks took %ld steps\n", tasks, sum);
    return expected != sum;
}
