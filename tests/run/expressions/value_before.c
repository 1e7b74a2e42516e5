/* value_before - a value computed before a pause in the same expression survives it.
 * expect: 13 427 402 -6
 * expect: 1 5 5 14 20 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int shared = 1;

static pausable int change(int to)
{
    co4_yield();
    shared = to;
    return to;
}

static int add(int a, int b, int c)
{
    return 100 * a + 10 * b + c;
}

static pausable void work(void)
{
    int x = 3;
    printf("%d ", x++ + wait_for(10));
    printf("%d ", add(x++, wait_for(2), 7));
    printf("%d ", add(x * 2 - 6, 0, wait_for(wait_for(1) + 1)));
    printf("%d\n", (x += 2, -x) + wait_for(1));

    int kept = shared, changed = change(5);
    printf("%d %d %d ", kept, changed, shared);
    printf("%d ", (kept = shared, change(9) + kept));
    printf("%d\n", (shared += 1, wait_for(shared)) * 2);
}

int main(void)
{
    co4_run(work());
    return 0;
}
