/* typeof_operand.c - calls in the typeof of a cast or a compound literal are not made, those behind
 * it are.
 * expect: 0 5 2 7 calls 6
 * expect: 5 9 6
 * expect: literal 3 4 calls 5 */
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

static pausable void plain_operands(void)
{
    int cast = (__typeof__(plain(3)))wait_for(0);
    long wider = (__typeof__((long)plain(2)))(wait_for(4)) + 1;
    struct pair pair = { 1, wait_for(2) };
    int member = ((__typeof__(pair)){ wait_for(1), pair.b }).b;
    int *list = (__typeof__(plain(3))[]){ wait_for(8), wait_for(7) };
    printf("%d %ld %d %d calls %d\n", cast, wider, member, list[1], calls);
}

static pausable void pausable_operands(void)
{
    calls = 0;
    long first = (__typeof__(wait_for(1) + 1L))wait_for(5);
    int second = (__typeof__((float)wait_for(2)))(float)wait_for(9) + 0 * (int)sizeof(wait_for(3));
    int third = 1 + (__typeof__(wait_for(7)))(wait_for(5));
    printf("%ld %d %d\n", first, second, third);
    struct pair p;
    p = (__typeof__(p)){ wait_for(3), wait_for(4) };
    printf("literal %d %d calls %d\n", p.a, p.b, calls);
}

static pausable void all(void)
{
    plain_operands();
    pausable_operands();
}

int main(void)
{
    co4_run(all());
    return 0;
}
