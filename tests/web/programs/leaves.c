/* leaves.c - main() does not wait itself, and leaves a task that does.
 *
 * expect: main ends | the task ends */
#include <co4.h>
#include <stdio.h>

static pausable void later(void)
{
    if (co4_sleep(2 * CO4_MS) == CO4_OK)
        puts("the task ends");
}

pausable_or_plain int main(void)
{
    co4_spawn(later());
    puts("main ends");
    return 0;
}
