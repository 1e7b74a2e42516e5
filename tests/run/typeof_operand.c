/* typeof_operand.c - calls in the typeof of a cast or a compound literal are not made, those behind it are.
 * expect: 0 5 2 8 calls 7 */
#include <co4.h>
#include <stdio.h>

static int calls;

int plain(int n);
int plain(int n)
{
    return n;
}

static pausable int wait_for(int n)
{
    co4_yield();
    calls++;
    return n;
}

struct pair {
    int a, b;
};

static pausable void work(int n)
{
    int lengths[3 * n];
    lengths[2] = 8;
    int cast = (__typeof__(plain(3)))wait_for(0);
    long wider = (__typeof__((long)plain(2)))(wait_for(4)) + 1;
    struct pair pair = { 1, wait_for(2) };
    int member = ((__typeof__(pair)){ wait_for(1), pair.b }).b;
    int(*whole)[3 * n] = (__typeof__(lengths) *)(wait_for(1) ? &lengths : NULL);
    int *list = (__typeof__(plain(3))[]){ wait_for(7), (*whole)[wait_for(2)] };
    printf("%d %ld %d %d calls %d\n", cast, wider, member, list[1], calls);
}

int main(void)
{
    co4_run(work(1));
    return 0;
}
