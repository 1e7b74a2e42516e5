/* compiler_builtin_forms.c - values of a type that is taken from one of a builtin of gcc's own. */
/* needs: gcc */
#include <co4.h>

#include <stdarg.h>
#include <tgmath.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct held {
    __typeof__(sqrt(1.0)) value;
};

static __typeof__(sqrt(1.0)) half(double x)
{
    return x / 2;
}

pausable int cast(float x, double y);
pausable int literal(float x, double y);
pausable int argument(int n, ...);
pausable int member(struct held *held);
pausable int called(double x);
pausable int fine(float x, int n, ...);

pausable int cast(float x, double y)
{
    return (__typeof__(sqrt(x)))y + wait_for(1); /* error: only the compiler knows its type */
}

pausable int literal(float x, double y)
{
    return *(__typeof__(sqrt(x))[]){ y } + wait_for(1); /* error: only the compiler knows its type */
}

pausable int argument(int n, ...)
{
    va_list list;
    va_start(list, n);
    int sum = va_arg(list, __typeof__(sqrt(1.0))) + wait_for(1); /* error: only the compiler knows its type */
    va_end(list);
    return sum;
}

pausable int member(struct held *held)
{
    return held->value + wait_for(1); /* error: only the compiler knows its type */
}

pausable int called(double x)
{
    return half(x) + wait_for(1); /* error: only the compiler knows its type */
}

pausable int fine(float x, int n, ...)
{
    int sum = (int)(__typeof__(sqrt(x)))n + wait_for(1);
    sum += sizeof(sqrt(x)) + sizeof(__typeof__(sqrt(x))) + wait_for(1);
    wait_for(sum);
    va_list list;
    va_start(list, n);
    sum += va_arg(list, __typeof__(sqrt(1.0)));
    va_end(list);
    return sum;
}
