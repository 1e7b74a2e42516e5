/* while_condition - a suspension point in the condition of a while loop, with break and
 * continue.
 * expect: 10 8 6 seen 3, at 4
 * expect: left -1
 * expect: seen 43, left -6 */
#include <co4.h>
#include <stdio.h>

static pausable int odd_waits(int n)
{
    if (n % 2 != 0)
        co4_yield();
    return n;
}

static int left;

static pausable int next(void)
{
    co4_yield();
    return left--;
}

static pausable void work(void)
{
    int n, seen = 0;
    left = 10;
    while ((n = next()) > 0) {
        if (n % 2)
            continue;
        if (n == 4)
            break;
        printf("%d ", n);
        seen++;
    }
    printf("seen %d, at %d\n", seen, n);
    while (next())
        ;
    printf("left %d\n", left);
    while (next() > -5 && odd_waits(seen)) {
        seen += 10;
        if (seen > 100)
            break;
    }
    printf("seen %d, left %d\n", seen, left);
}

int main(void)
{
    co4_run(work());
    return 0;
}
