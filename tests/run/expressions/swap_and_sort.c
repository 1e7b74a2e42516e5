/* swap_and_sort - a quicksort whose comparison pauses.
 * expect: -3 0 1 2 5 5 6 8 9 in 21 */
#include <co4.h>
#include <stdio.h>

static int compared;

static pausable int less(int a, int b)
{
    co4_yield();
    compared++;
    return a < b;
}

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static pausable void sort(int *first, int *last, pausable int (*less)(int, int))
{
    if (last - first < 2)
        return;
    int *store = first;
    for (int *p = first; p < last - 1; p++)
        if (less(*p, last[-1]))
            swap(p, store++);
    swap(store, last - 1);
    sort(first, store, less);
    sort(store + 1, last, less);
}

static pausable void work(void)
{
    int n[] = { 5, 2, 9, 1, 5, 6, -3, 0, 8 };
    sort(n, n + 9, less);
    for (int i = 0; i < 9; i++)
        printf("%d ", n[i]);
    printf("in %d\n", compared);
}

int main(void)
{
    co4_run(work());
    return 0;
}
