/* integer_types - locals of every integer type live across a pause, with values at their limits.
 * needs: formats
 * expect: c -128 255 -32768 65535
 * expect: 1 4294967295 1 1
 * expect: 1 1 1 0
 * expect: 1 -7 -8 65535 1 4096 */
#include <co4.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    char c = 'c';
    signed char sc = SCHAR_MIN;
    unsigned char uc = UCHAR_MAX;
    short s = SHRT_MIN;
    unsigned short us = USHRT_MAX;
    int i = INT_MIN;
    unsigned u = UINT_MAX;
    long l = LONG_MIN;
    unsigned long ul = ULONG_MAX;
    long long ll = LLONG_MIN;
    unsigned long long ull = ULLONG_MAX;
    _Bool b = 1;
    bool no = false;
    size_t size = SIZE_MAX;
    ptrdiff_t diff = -7;
    int8_t i8 = -8;
    uint16_t u16 = 65535;
    int64_t i64 = INT64_MAX;
    uintptr_t address = 4096;
    wait_for(0);
    printf("%c %d %d %d %d\n", c, sc, uc, s, us);
    wait_for(0);
    printf("%d %u %d %d\n", i == INT_MIN, u, l == LONG_MIN, ul == ULONG_MAX);
    wait_for(0);
    printf("%d %d %d %d\n", ll == LLONG_MIN, ull == ULLONG_MAX, b, no);
    wait_for(0);
    printf("%d %td %d %d %d %d\n", size == SIZE_MAX, diff, i8, u16, i64 == INT64_MAX, (int)address);
}

int main(void)
{
    co4_run(work());
    return 0;
}
