/* operands - a point as the left and as the right operand of every binary operator.
 * needs: formats
 * expect: 17 7 60 2 2
 * expect: 4 13 9 48 6
 * expect: 010101
 * expect: 3
 * expect: 0.50 8589934592
 * expect: cdef d 3 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int n = 12, m = 5;
    printf("%d %d %d %d %d\n", wait_for(n) + m, n - wait_for(m), wait_for(n) * m, n / wait_for(m),
           wait_for(n) % m);
    printf("%d %d %d %d %d\n", n & wait_for(m), wait_for(n) | m, n ^ wait_for(m), wait_for(n) << 2,
           n >> wait_for(1));
    printf("%d%d%d%d%d%d\n", wait_for(n) < m, n > wait_for(m), wait_for(n) <= m, n >= wait_for(m),
           wait_for(n) == m, n != wait_for(m));
    printf("%d\n", wait_for(1) + wait_for(2) * (wait_for(3) - wait_for(4)) / wait_for(-1));
    printf("%.2f %lld\n", wait_for(1) / 2.0, 1LL << wait_for(33));
    const char *text = "abcdef";
    printf("%s %c %td\n", text + wait_for(2), *(wait_for(3) + text), &text[4] - &text[wait_for(1)]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
