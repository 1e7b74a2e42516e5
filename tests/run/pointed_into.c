/* pointed_into.c - pointers into arrays of results, computed on the way to a call that pauses.
 * expect: 52 62 73 41
 * expect: 85 96 */
#include <co4.h>
#include <stdio.h>

struct row {
    int a[3];
};

static struct row row(int n)
{
    return (struct row){ { n, n + 1, n + 2 } };
}

static pausable int next(int i)
{
    co4_yield();
    return i;
}

static int take(const int *p, int k)
{
    return p[0] * 10 + k;
}

static pausable void values(void)
{
    printf("%d ", take(row(4).a + 1, next(2)));
    printf("%d ", take(1 + row(5).a, next(2)));
    printf("%d ",
           take((row(4).a + 2) + 1 - 0 * next(0), next(3)) * 0 + take(row(6).a + 1, next(3)));
    printf("%d\n", take(&row(4).a[2] - 2, next(1)));
    printf("%d ", take((next(0), row(7).a + 1), next(5)));
    printf("%d\n", take(next(1) ? row(8).a + 1 : row(9).a, next(6)));
}

int main(void)
{
    co4_run(values());
    return 0;
}
