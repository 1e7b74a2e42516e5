/* va_list.c - a va_list for a task that outlives the arguments. */
#include <co4.h>
#include <stdarg.h>

pausable int sum(int n, va_list from)
{
    return co4_yield() + n + va_arg(from, int);
}

int plain(int n, ...)
{
    va_list args;
    va_start(args, n);
    co4_spawn(sum(n, args)); /* error: co4_spawn cannot keep a va_list: it reads the arguments of a call that ends before */ /* hint: take its values out of it */
    co4_run(sum(n, args));
    va_end(args);
    return n;
}
