/* volatile_arrays.c - arrays of volatile elements have first values, without a warning.
 * expect: 6 b 5 7 8
 * expect: 9 b 5 7 8 */
#include <co4.h>
#include <stdio.h>

typedef volatile short shorts[2];

static pausable int all(void)
{
    volatile int a[3] = { 1, 2, 3 };
    volatile char s[] = "abc";
    const volatile long c[2] = { 4, 5 };
    volatile struct {
        int x[2];
    } p = { { 6, 7 } };
    shorts t = { 8 };
    for (int i = 0; i < 2; i++) {
        printf("%d %c %ld %d %d\n", a[0] + a[1] + a[2], s[1], c[1], p.x[1], t[0]);
        co4_yield();
        a[2] = 6;
    }
    return 0;
}

int main(void)
{
    return co4_run(all());
}
