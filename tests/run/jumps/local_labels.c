/* local_labels - labels that are local to a block (GNU), at the beginning of a function and
 * inside.
 * expect: 33 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int count(int n)
{
    __label__ again;
    int r = 0;
again:
    r += wait_for(1);
    if (r < n)
        goto again;
    {
        __label__ again;
    again:
        r += wait_for(10);
        if (r < 10 * n)
            goto again;
    }
    return r;
}

static pausable void work(void)
{
    printf("%d\n", count(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
