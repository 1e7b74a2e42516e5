/* typeof_in_cast.c - casts and compound literals whose types are asked of an expression that would wait.
 * expect: 5 9 6
 * expect: literal 3 4
 * expect: waited 5 times */
#include <co4.h>
#include <stdio.h>

static int waited;

static pausable int wait_for(int n)
{
    waited++;
    co4_yield();
    return n;
}

struct pair {
    int a, b;
};

static pausable int all(void)
{
    long first = (__typeof__(wait_for(1) + 1L))wait_for(5);
    int second = (__typeof__((float)wait_for(2)))(float)wait_for(9) + 0 * (int)sizeof(wait_for(3));
    int third = 1 + (__typeof__(wait_for(7)))(wait_for(5));
    printf("%ld %d %d\n", first, second, third);
    struct pair p;
    p = (__typeof__(p)){ wait_for(3), wait_for(4) };
    printf("literal %d %d\n", p.a, p.b);
    return 0;
}

int main(void)
{
    co4_run(all());
    printf("waited %d times\n", waited);
    return 0;
}
