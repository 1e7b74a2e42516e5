/* pointer_argument.c - qsort with a comparison that pauses: the library calls it on a C stack that cannot pause. */
#include <co4.h>
#include <stdlib.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int compare(const void *a, const void *b)
{
    return wait_for(*(const int *)a) - *(const int *)b;
}

pausable void work(int *values, int count);

pausable void work(int *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare); /* error: 'compare' is pausable, but */ /* hint: its library calls it on a C stack that cannot pause */
    atexit((void (*)(void))wait_for);                      /* error: 'wait_for' is pausable, but */
}
