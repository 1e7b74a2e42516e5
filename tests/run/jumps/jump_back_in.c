/* jump_back_in.c - jumps back into a block that has been left. Its locals have no value then, and
 * none is kept for them while a task waits outside.
 * expect: 11 9
 * expect: 40 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int count(int n)
{
    int k = 0;
    {
        int first = 1;
        k += first;
    in:
        if (k > 100)
            k += first;
        k++;
    }
    k += wait_for(n);
    if (k < 10)
        goto in;
    return k;
}

/* The pause is above the block. */
static pausable int again(int n)
{
    int k = 1;
    goto enter;
back:
    k += wait_for(n);
    {
        int first;
    enter:
        first = 2;
        k += first;
    in:
        if (k > 100)
            k += first;
        k += n;
    }
    if (k < 8)
        goto back;
    if (k < 9)
        goto in;
    return k;
}

/* Where the task waits, the name of the inner local means the outer one. */
static pausable int namesakes(int n)
{
    int k = 30;
    {
        int k = n;
    in:
        if (n > 100)
            n += k;
        n++;
    }
    k += wait_for(1);
    if (n < 10)
        goto in;
    return k;
}

int main(void)
{
    printf("%d ", co4_run(count(1)));
    printf("%d\n", co4_run(again(1)));
    printf("%d\n", co4_run(namesakes(0)));
    return 0;
}
