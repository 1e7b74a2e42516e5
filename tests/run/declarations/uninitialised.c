/* uninitialised - locals that have no value yet on some paths across a suspension point.
 * expect: small 4 large 60 0.5 64 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int pick(int n)
{
    int small, large;
    const char *name;
    double unused_here;
    if (n < 10) {
        small = n + 1;
        name = "small";
        wait_for(n);
    } else {
        wait_for(n);
        name = "large";
        large = n * 2;
    }
    wait_for(0);
    if (n < 10) {
        printf("%s %d ", name, small);
        return small;
    }
    unused_here = 0.5;
    wait_for(0);
    printf("%s %d %.1f ", name, large, unused_here);
    return large;
}

static pausable void work(void)
{
    int sum = pick(3);
    printf("%d\n", sum + pick(30));
}

int main(void)
{
    co4_run(work());
    return 0;
}
