/* cast_to_union.c - GNU C's casts to a union, of values around a suspension point.
 * expect: 14 */
#include <co4.h>

#include <stdio.h>

union number {
    int whole;
    double real;
};

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int take(union number number)
{
    co4_yield();
    return number.whole;
}

static pausable int work(int n)
{
    union number first = (union number)wait_for(n);
    int sum = ((union number)(double)wait_for(3)).real + take((union number)wait_for(1));
    return sum + ((union number)n).whole * wait_for(4) + first.whole;
}

int main(void)
{
    printf("%d\n", co4_run(work(2)));
    return 0;
}
