/* float128.c - extended floating types keep all their bits across a pause.
 * expect: quad 1 long double 1 small 1
 * expect: passed 1 field 1 */
#include <co4.h>
#include <stdio.h>

#if defined(__SIZEOF_FLOAT128__) && !defined(__clang__) && defined(__x86_64__)
#define widest _Float128
#elif defined(__SIZEOF_FLOAT128__)
#define widest __float128
#else
#define widest long double
#endif

struct kept {
    char tag;
    widest q;
};

static widest exact; /* a third, never saved */

static pausable widest pass(widest q)
{
    co4_yield();
    return q;
}

static pausable int all(void)
{
    widest third = (widest)1 / 3, again = (widest)1 / 3;
    long double l = 1.0L / 3;
    float small = 1.0f / 3;
    co4_yield();
    int same = third == exact && again == exact &&
               (exact != (widest)(double)exact || sizeof exact == sizeof(double));
    printf("quad %d long double %d small %d\n", same, l == 1.0L / 3, small == 1.0f / 3);
    struct kept k = { 'k', third };
    widest sum = third + pass(again);
    co4_yield();
    printf("passed %d field %d\n", sum == exact + exact, k.q == exact && k.tag == 'k');
    return 0;
}

int main(void)
{
    exact = (widest)1 / 3;
    return co4_run(all());
}
