/* cleanup_loop.c - a cleanup attribute in a loop whose later part waits, and one that only a goto crosses. */
#include <co4.h>
#include <stdlib.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void release(char **p)
{
    free(*p);
}

pausable int work(int n);

pausable int work(int n)
{
    for (int i = 0; i < n; i++) {
        __attribute__((cleanup(release))) char *text = malloc(10); /* error: the cleanup attribute of 'text' stands across a suspension point */
        if (text == NULL)
            return -1;
        wait_for(i);
    }
    return 0;
}
