/* gnu_between - statement expressions, _Generic, labels as values and asm that hold no point.
 * expect: 127 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int work_on(int n)
{
    int m = wait_for(n) + ({
                int k = n;
                k * 10;
            });
    m += _Generic(m, int : 100, default : 0) + wait_for(1);
    __asm__ volatile("" ::: "memory");
    wait_for(m);
    __typeof__(m) copy = m;
    copy += __builtin_constant_p(3) ? wait_for(3) : 0;
    return copy + _Generic(1.0, double : 1, default : 7);
}

static pausable void work(void)
{
    printf("%d\n", work_on(2));
}

int main(void)
{
    co4_run(work());
    return 0;
}
