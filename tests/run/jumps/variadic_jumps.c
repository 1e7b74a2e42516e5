/* variadic_jumps.c - longjmp over functions that keep variable arguments, and to one of them.
 * modes: woven forced
 * needs: setjmp
 * expect: 6 6 6
 * expect: again 3 12
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf back;

static pausable int step(int n)
{
    co4_yield();
    return n;
}

static pausable int jumps(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int total = 0;
    for (int i = 0; i < n; i++)
        total += step(va_arg(ap, int));
    va_end(ap);
    longjmp(back, total);
}

static pausable int over(int pauses, ...)
{
    va_list ap;
    va_start(ap, pauses);
    if (pauses)
        step(1);
    int total = jumps(3, va_arg(ap, int), 2, 3);
    va_end(ap);
    return -total;
}

static pausable int caught(int pauses)
{
    int value = setjmp(back);
    return value != 0 ? value : over(pauses, 1);
}

static pausable int again(int n, ...)
{
    va_list ap;
    volatile int total = 0, round = 0;
    if (setjmp(back) != 0)
        round = round + 1;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        total = total + step(va_arg(ap, int));
    va_end(ap);
    if (round < 2)
        jumps(1, round + 1);
    return total * 10 + round + 1;
}

static pausable int all(void)
{
    int first = caught(0), second = caught(1);
    printf("%d %d %d\n", first, second, caught(1));
    int n = again(2, 1, 3);
    printf("again %d %d\n", n % 10, n / 10);
    return 0;
}

int main(void)
{
    long long before = co4_test_pool_live();
    co4_run(all());
    printf("%s is left\n", co4_test_pool_live() == before ? "nothing" : "something");
    return 0;
}
