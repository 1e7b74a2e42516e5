/* main.c - prints what shapes.c gives. A second file: one number chooses among the faults of
 * all. */
#include "sample.h"

#include <stdio.h>

enum { COUNT = 6 };

int main(void)
{
    static const int items[][COUNT] = { { 1, 7, 0, 11, -1, 6 }, { 2, 7, 5, 0, 4, 3 } };
    printf("%d %d\n", sums(items[0], COUNT), sums(items[1], COUNT));
    printf("%d %d %d\n", between(3, 3, 5), between(3, 5, 5), between(3, 2, 5));
    printf("%d %d %d %d\n", between(3, 6, 5), both(1, 1), both(0, 1), both(1, 0));
    printf("%d %d %s\n", is_even(3), is_even(4), name_of(ROUND));
    printf("%s %s %s\n", name_of(SQUARE), name_of(FLAT), name_of(NONE));
    return 0;
}
