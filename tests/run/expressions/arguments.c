/* arguments - points as arguments, nested in each other, and calls with many of them.
 * expect: 15 24 26 1222 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int add(int a, int b)
{
    co4_yield();
    return a + b;
}

static pausable long many(char a, short b, int c, long d, float e, double f, const char *g, int h,
                          int i, unsigned char j)
{
    co4_yield();
    return a + b + c + d + (long)e + (long)f + g[1] + h + i + j;
}

static int plain(int a, int b)
{
    return a * b;
}

static pausable void work(void)
{
    printf("%d ", add(add(1, 2), add(3, add(4, 5))));
    printf("%d ", plain(add(1, 1), plain(add(2, 2), 3)));
    printf("%d ", add(plain(2, 3), wait_for(plain(wait_for(4), 5))));
    printf("%ld\n", many('a', 2, wait_for(3), 1000L, 5.5F, wait_for(6) + 0.5, "a0c", 8, wait_for(9),
                         (unsigned char)300));
}

int main(void)
{
    co4_run(work());
    return 0;
}
