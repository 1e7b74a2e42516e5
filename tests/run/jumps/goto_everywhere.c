/* goto_everywhere - goto forward and backward, into and out of blocks and loops, with points
 * between.
 * expect: 3 [101] 104
 * expect: in else */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int n = 0, inside = 0;
again:
    n += wait_for(1);
    if (n < 3)
        goto again;
    printf("%d ", n);
    goto into;
    for (;;) {
        inside = wait_for(100);
    into:
        inside += wait_for(1);
        if (inside > 102)
            break;
        if (inside > 3) {
            printf("[%d] ", inside);
            goto out;
        }
    }
out : {
    int deep = wait_for(4);
    {
        if (deep == 4)
            goto end;
        puts("never");
    }
}
end:
    printf("%d\n", wait_for(n + inside));
    if (n) {
        goto in_else;
    } else {
    in_else:
        wait_for(1);
        puts("in else");
    }
}

int main(void)
{
    co4_run(work());
    return 0;
}
