/* variadic.c - variable arguments taken up after a pause; and entry points, which cannot keep them. */
#include <co4.h>
#include <stdarg.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int late(int n, ...)
{
    va_list args;
    wait_for(n);
    va_start(args, n); /* error: va_start after a suspension point */ /* hint: call va_start before any suspension point */
    n = va_arg(args, int);
    va_end(args);
    return n;
}

/* the second time round the loop it has paused */
static pausable int again(int n, ...)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        va_list args;
        va_start(args, n); /* error: va_start after a suspension point */
        sum += va_arg(args, int);
        va_end(args);
        wait_for(i);
    }
    return sum;
}

pausable int both(void)
{
    return late(1, 2) + again(1, 2);
}
