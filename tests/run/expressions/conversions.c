/* conversions - arguments and results are converted as a call converts them.
 * needs: formats
 * expect: 1 4464 1 0.3333
 * expect: 44 1 65 4294967295 7.000
 * expect: 0 1
 * expect: 4 8 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable unsigned char low_byte(int n)
{
    co4_yield();
    return n;
}

static pausable _Bool truth(double x)
{
    co4_yield();
    return x;
}

static pausable int whole(double x)
{
    co4_yield();
    return x;
}

static pausable long long wide(int n)
{
    co4_yield();
    return (unsigned)n;
}

static pausable double real(float x)
{
    co4_yield();
    return x;
}

static pausable void work(void)
{
    unsigned char byte = wait_for(513);
    short cut = (short)wait_for(70000);
    _Bool yes = wait_for(2);
    float third = wait_for(1) / 3.0F;
    printf("%d %d %d %.4f\n", byte, cut, yes, third);
    printf("%d %d %d %lld %.3f\n", low_byte(300), truth(0.5), whole('A' + 0.9), wide(-1), real(7));
    unsigned u = 3;
    printf("%d %d\n", wait_for(-1) > (int)u, (unsigned)wait_for(-1) > u);
    printf("%zu %zu\n", sizeof(wait_for(1)), sizeof wide(wait_for(1)));
}

int main(void)
{
    co4_run(work());
    return 0;
}
