/* assert_condition - a point in an assertion of strict C, where assert is a conditional
 * expression.
 * flags: -std=c11
 * expect: work 3 */
#include <assert.h>
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int n = wait_for(3);
    assert(wait_for(n) == n && wait_for(n + 1) > n);
    assert(n);
    printf("%s %d\n", __func__, n);
}

int main(void)
{
    co4_run(work());
    return 0;
}
