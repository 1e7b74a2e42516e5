/* unions_and_bitfields - unions and bit-fields, saved and assigned from points.
 * expect: 17 2.5 9 1 1 -4 0 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

union value {
    long n;
    double d;
    char bytes[12];
};

static pausable union value as_double(double d)
{
    union value v = { .d = d };
    co4_yield();
    return v;
}

static pausable void work(void)
{
    union value v = { 17 }, w;
    struct {
        unsigned a : 3, b : 5;
        signed c : 4;
        unsigned : 0;
        _Bool flag : 1;
    } bits = { 5, 30, -3, 1 };
    wait_for(0);
    printf("%ld ", v.n);
    v = as_double(2.5);
    w.n = wait_for(9);
    bits.a = wait_for(9);
    bits.b += wait_for(3);
    bits.c--;
    wait_for(0);
    bits.flag = wait_for(2) == 3;
    printf("%.1f %ld %d %d %d %d\n", v.d, w.n, bits.a, bits.b, bits.c, bits.flag);
}

int main(void)
{
    co4_run(work());
    return 0;
}
