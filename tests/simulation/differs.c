/* differs.c - a run that depends on its process. */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int n = getpid() % 1000; n >= 0; n--)
        sched_yield();
    puts("over");
    return 0;
}
