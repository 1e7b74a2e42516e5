/* unary - unary operators and casts on points.
 * expect: -5 5 -6 0 1
 * expect: 3 0.50 65 255
 * expect: 42 42
 * expect: 7 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable double half(int n)
{
    co4_yield();
    return n / 2.0;
}

static pausable void *where(void *p)
{
    co4_yield();
    return p;
}

static pausable void work(void)
{
    int n = 42;
    printf("%d %d %d %d %d\n", -wait_for(5), +wait_for(5), ~wait_for(5), !wait_for(5),
           !!wait_for(5));
    printf("%d %.2f %d %u\n", (int)half(7), (double)(float)half(1), (char)wait_for(0x141),
           (unsigned char)-wait_for(1));
    printf("%d %d\n", *(int *)where(&n), ((int *)where(&n))[wait_for(0)]);
    (void)half(1);
    printf("%d\n", -(-wait_for(3)) - -wait_for(4));
}

int main(void)
{
    co4_run(work());
    return 0;
}
