/* unused_things - unused parameters, locals and results do not disturb.
 * expect: 1 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int ignore(int used, int unused)
{
    (void)unused;
    co4_yield();
    return used;
}

static pausable void work(void)
{
    int kept = ignore(1, 2), written;
    ignore(3, 4);
    (void)ignore(5, 6);
    written = ignore(7, 8);
    (void)written;
    __attribute__((unused)) int never = wait_for(9);
    __attribute__((unused)) const char *text = "text";
    if (0)
        wait_for(1);
    while (0)
        wait_for(2);
    printf("%d\n", kept);
    return;
    wait_for(3);
}

int main(void)
{
    co4_run(work());
    return 0;
}
