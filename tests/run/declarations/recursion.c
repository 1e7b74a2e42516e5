/* recursion - direct, mutual and deep recursion, with pauses on the way down, up and at the
 * bottom.
 * expect: 1 0 0
 * expect: 500500 6
 * expect: 9 */
#include <co4.h>
#include <stdio.h>

static pausable int odd_waits(int n)
{
    if (n % 2 != 0)
        co4_yield();
    return n;
}

static pausable int is_odd(unsigned n);

static pausable int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static pausable int is_odd(unsigned n)
{
    co4_yield();
    return n == 0 ? 0 : is_even(n - 1);
}

static pausable long depth(int n)
{
    if (n == 0) {
        for (int i = 0; i < 3; i++)
            co4_yield();
        return 0;
    }
    if (n % 100 == 0)
        co4_yield();
    long below = depth(n - 1);
    if (n % 250 == 0)
        co4_yield();
    return below + n;
}

static pausable int ackermann(int m, int n)
{
    if (m == 0)
        return odd_waits(n) + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static pausable void work(void)
{
    printf("%d %d %d\n", is_even(10), is_odd(10), is_even(1001));
    printf("%ld %ld\n", depth(1000), depth(3));
    printf("%d\n", ackermann(2, 3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
