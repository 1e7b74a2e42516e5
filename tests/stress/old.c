/* old.c - C as it once was: definitions without prototypes, implicit int, calls of what is declared
 * later.
 * flags: -std=gnu89 */
#include <stdio.h>

int limit = 10;

add(a, b)
{
    return a + b;
}

double scale(x, by)
double x;
int by;
{
    return x * by;
}

main()
{
    register int i;
    int sum = 0;
    for (i = 0; i < limit; i++)
        sum = add(sum, later(i));
    printf("%d %g %d\n", sum, scale(1.5, 3), max(3, 9));
    return later(2);
}

max(a, b) int a, b;
{
    return a > b ? a : b;
}

int later(int n)
{
    return n * n;
}
