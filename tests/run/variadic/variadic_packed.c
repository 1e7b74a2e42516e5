/* variadic_packed - variable arguments of a pausable function where pragmas change layouts.
 * expect: i 3
 * expect: l 4000000000
 * expect: d 2.5
 * expect: L 1.25
 * expect: s abcde
 * expect: r 7 of 5 bytes
 * expect: L -8.5
 * expect: i -1
 * expect: L 3.75
 * expect: d 0.5
 * expect: 10
 * expect: l 1
 * expect: i 2
 * expect: L 3
 * expect: d 4
 * expect: d 5
 * expect: L 6
 * expect: i 7
 * expect: L 8
 * expect: 8 */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>

#pragma pack(push, 1)

struct record {
    char tag;
    int value;
};

static pausable int show(const char *kinds, ...)
{
    va_list list;
    int count = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++, count++) {
        co4_yield();
        if (*kinds == 'i')
            printf("i %d\n", va_arg(list, int));
        else if (*kinds == 'l')
            printf("l %lld\n", va_arg(list, long long));
        else if (*kinds == 'd')
            printf("d %g\n", va_arg(list, double));
        else if (*kinds == 'L')
            printf("L %Lg\n", va_arg(list, long double));
        else if (*kinds == 's')
            printf("s %s\n", va_arg(list, char *));
        else {
            struct record r = va_arg(list, struct record);
            printf("r %d of %d bytes\n", r.value, (int)sizeof r);
        }
    }
    va_end(list);
    return count;
}

#pragma pack(2)

static pausable int all(void)
{
    struct record r = { 1, 7 };
    char c = 3;
    long double halves = 1.25L;
    return show("ildLsrLiLd", c, 4000000000LL, 2.5f, halves, "abcde", r, -8.5L, -1, 3.75L, 0.5);
}

static pausable int orders(void)
{
    return show("liLddLiL", 1LL, 2, 3.0L, 4.0, 5.0, 6.0L, 7, 8.0L);
}

int main(void)
{
    printf("%d\n", co4_run(all()));
    printf("%d\n", co4_run(orders()));
    return 0;
}

#pragma pack(pop)
