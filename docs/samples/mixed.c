/* mixed.c - a function for both worlds.
 * expect: plain: 1 2 3
 * expect: pausable: 3 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

pausable_or_plain int by_size(const void *a, const void *b)
{
    co4_yield(); /* pauses the task, when it is a task that calls */
    return *(const int *)a - *(const int *)b;
}

pausable int larger(int a, int b)
{
    return by_size(&a, &b) > 0 ? a : b; /* pausable here */
}

int main(void)
{
    int sizes[] = { 3, 1, 2 };
    qsort(sizes, 3, sizeof *sizes, by_size); /* an ordinary function here */
    printf("plain: %d %d %d\n", sizes[0], sizes[1], sizes[2]);
    printf("pausable: %d\n", co4_run(larger(sizes[0], sizes[2])));
    return 0;
}
