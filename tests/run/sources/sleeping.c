/* sleeping - co4_sleep and deadlines in loops and conditions.
 * expect: 1 slept */
#include <co4.h>
#include <stdio.h>

static pausable int nap(int turns)
{
    int64_t before = co4_now();
    while (turns-- > 0 && co4_sleep(CO4_MS) == CO4_OK)
        ;
    return co4_now() - before >= 2 * CO4_MS;
}

static pausable void work(void)
{
    printf("%d ", nap(2));
    int64_t deadline = co4_now() + CO4_MS;
    if (co4_sleep_until(deadline) == CO4_OK && co4_now() >= deadline)
        puts("slept");
}

int main(void)
{
    co4_run(work());
    return 0;
}
