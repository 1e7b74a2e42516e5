/* labels - labels at the end of blocks, several on one statement, unused ones, and named like
 * woven code's.
 * flags: -Wno-unused-label
 * expect: 0 1 3 6
 * expect: 0 2 done */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int i = 0;
loop : {
    if (i == 2)
        goto next;
    printf("%d ", wait_for(i));
next:;
}
    if (++i < 4)
        goto loop;
one:
two:
three:
    wait_for(i);
    if (i++ < 5)
        goto two;
    printf("%d\n", i);
    for (int k = 0; k < 3; k++) {
        if (wait_for(k) == 1)
            goto skip;
        printf("%d ", k);
    skip:;
    }
    goto resume_1;
resume_1:
    wait_for(1);
body:
    puts("done");
}

int main(void)
{
    co4_run(work());
    return 0;
}
