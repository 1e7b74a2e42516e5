/* cleanup_between - a cleanup attribute whose block holds no suspension point runs at the end of
 * that block.
 * expect: (10) (20) 20, (11) (21) 1, (12) 7, end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void say(const int *n)
{
    printf("(%d) ", *n);
}

static pausable int work_on(int n)
{
    int result = wait_for(n);
    {
        __attribute__((cleanup(say))) int guarded = result;
        guarded += 10;
        if (n == 2)
            result = 7;
    }
    for (int i = 0; i < 2; i++) {
        wait_for(i);
        if (i == n) {
            __attribute__((cleanup(say))) int other = i + 20;
            if (n == 0)
                return other;
        }
        wait_for(i);
    }
    return result;
}

static pausable void work(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d, ", work_on(i));
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
