/* elvis - the GNU form `a ?: b` evaluates its first operand once.
 * expect: 3 8 3 */
#include <co4.h>
#include <stdio.h>

static int calls;

static pausable int count(int n)
{
    co4_yield();
    calls++;
    return n;
}

static pausable void work(void)
{
    printf("%d ", count(3) ?: 9);
    printf("%d ", count(0) ?: count(8));
    printf("%d\n", calls);
}

int main(void)
{
    co4_run(work());
    return 0;
}
