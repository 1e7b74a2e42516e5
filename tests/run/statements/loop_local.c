/* loop_local.c - a loop counter survives the pause in its body.
 * expect: 0 1 2
 * expect: done */
#include <co4.h>
#include <stdio.h>

pausable void count(int n);

pausable void count(int n)
{
    for (int i = 0; i < n; i++) {
        co4_yield();
        printf(i + 1 < n ? "%d " : "%d\n", i);
    }
}

int main(void)
{
    co4_run(count(3));
    puts("done");
    return 0;
}
