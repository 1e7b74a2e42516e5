/* assignment_chain - chains of assignments, and assignments as values.
 * expect: 3 3 7 7 7 44 44
 * expect: 10 6 7 9 9 9
 * expect: 3 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int global;

static pausable void work(void)
{
    int a, b, c[2];
    struct {
        int m;
        char small;
    } s;
    a = b = wait_for(3);
    c[0] = c[1] = s.m = a + wait_for(4);
    global = s.small = wait_for(300);
    printf("%d %d %d %d %d %d %d\n", a, b, c[0], c[1], s.m, global, s.small);
    if ((a = wait_for(5)) == 5 && (b = wait_for(a)) != 0)
        printf("%d ", a + b);
    a = (b += wait_for(2)) - 1;
    int d = c[wait_for(1)] = wait_for(9), e = d;
    printf("%d %d %d %d %d\n", a, b, c[1], d, e);
    printf("%d\n", (a = wait_for(1), b = a + 1, a + b));
}

int main(void)
{
    co4_run(work());
    return 0;
}
