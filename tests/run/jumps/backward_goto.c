/* backward_goto - a value that is used again only behind a goto backwards.
 * expect: 21 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int count(int n)
{
    int r = 0;
in:
    r += wait_for(n);
    if (r < 20)
        goto out;
    goto end;
out:
    n++;
    goto in;
end:
    return r;
}

static pausable void work(void)
{
    printf("%d\n", count(0));
}

int main(void)
{
    co4_run(work());
    return 0;
}
