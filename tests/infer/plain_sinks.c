/* plain_sinks.c - pointers that the C library calls stay plain, and so do those that lead to them;
 * what flows into one is pausable_or_plain. Pointers beside them are marked, also where a null
 * pointer flows into them.
 * infer: +static pausable_or_plain int by_size(const void *a, const void *b)
 * infer: +    pausable int (*changed)(int);
 * infer: +static pausable int tell(int n)
 * infer: +static pausable void set(struct list *l, pausable int (*changed)(int))
 * not: +typedef pausable int compare
 * expect: changed 3
 * expect: 1 2 3
 * expect: 3 2 1 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

typedef int compare(const void *, const void *);

struct list {
    int *items, count;
    compare *order;
    int (*changed)(int);
};

static pausable int size_of(int n)
{
    co4_yield();
    return n;
}

static int by_size(const void *a, const void *b)
{
    return size_of(*(const int *)a) - size_of(*(const int *)b);
}

static int falling(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static int tell(int n)
{
    return printf("changed %d\n", size_of(n));
}

static void set(struct list *l, int (*changed)(int))
{
    l->changed = changed;
    if (l->changed)
        l->changed(l->count);
}

static void sort(struct list *l)
{
    qsort(l->items, (size_t)l->count, sizeof *l->items, l->order);
    for (int i = 0; i < l->count; i++)
        printf(i > 0 ? " %d" : "%d", l->items[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    int items[] = { 2, 3, 1 };
    struct list l = { items, 3, by_size, 0 };
    (void)argv;
    set(&l, argc > 0 ? tell : 0);
    sort(&l);
    l.order = falling;
    sort(&l);
    return 0;
}
