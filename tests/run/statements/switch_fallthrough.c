/* switch_fallthrough - cases that fall through a suspension point, a default in the middle, and
 * a range.
 * flags: -Wno-implicit-fallthrough
 * expect: 0: 100
 * expect: 1: 111
 * expect: 2: 110
 * expect: 3: 100
 * expect: 4: 11000
 * expect: 5: 10000
 * expect: 6: 10000
 * expect: 7: 10000
 * expect: 8: 10000
 * expect: 9: 100 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void from(int n)
{
    int sum = 0;
    switch (n) {
    case 1:
        sum += wait_for(1);
    case 2:
        sum += wait_for(10);
    default:
        sum += wait_for(100);
        break;
    case 4:
        sum += wait_for(1000);
    case 5 ... 8:
        sum += wait_for(10000);
    }
    printf("%d: %d\n", n, sum);
}

static pausable void work(void)
{
    for (int n = 0; n < 10; n++)
        from(n);
}

int main(void)
{
    co4_run(work());
    return 0;
}
