/* floating_types - float, double, long double and complex locals, parameters and results.
 * needs: long-double
 * expect: 1.25 2.50 1.0000
 * expect: -2.0 1.0 1.25 3.00 */
#include <co4.h>
#include <complex.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable long double third(long double x)
{
    co4_yield();
    return x / 3;
}

static pausable double complex turn(double complex z)
{
    co4_yield();
    return z * I;
}

static pausable float complex small(float re, float im)
{
    float complex z = re + im * I;
    co4_yield();
    return z;
}

static pausable void work(void)
{
    float f = 1.25F;
    double d = 2.5;
    long double ld = third(1);
    double complex z = 1 + 2 * I;
    wait_for(0);
    z = turn(z);
    ld += third(2);
    float complex s = small(f, wait_for(3));
    wait_for(0);
    printf("%.2f %.2f %.4Lf\n", f, d, ld);
    printf("%.1f %.1f %.2f %.2f\n", creal(z), cimag(z), crealf(s), cimagf(s));
}

int main(void)
{
    co4_run(work());
    return 0;
}
