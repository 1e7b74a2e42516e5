/* aligned_results - results, parameters and locals of types with the largest alignment.
 * flags: -Wno-pedantic
 * needs: long-double
 * expect: 4000000000 28 32 15.0
 * expect: 15 9.0 12 */
#include <co4.h>
#include <stdio.h>

#ifdef __SIZEOF_INT128__
typedef __int128 integer;
#define HIGH 100
#else
typedef long long integer;
#define HIGH 50
#endif
struct wide {
    integer a;
    char c;
};

static pausable integer triple(integer x)
{
    co4_yield();
    return x * 3;
}

static pausable long double triple_real(long double x)
{
    co4_yield();
    return x * 3;
}

static pausable struct wide wide(int x)
{
    integer q = x;
    co4_yield();
    struct wide r = { q + triple(x), 'a' };
    return r;
}

static pausable void work(void)
{
    integer big = (integer)1 << HIGH;
    big += triple(big) + triple(2);
    struct wide w = wide(7), array[2] = { w, wide(8) };
    printf("%llx %d %d %.1Lf\n", (unsigned long long)(big >> (HIGH - 36)), (int)w.a,
           (int)array[1].a, triple_real(2) + triple_real(3));
}

int main(void)
{
    co4_run(work());
    printf("%d %.1Lf ", (int)co4_run(triple(5)), co4_run(triple_real(3)));
    printf("%d\n", (int)co4_run(wide(3)).a);
    return 0;
}
