/* va_list.c - a va_list that stands across a pause. */
#include <co4.h>
#include <stdarg.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int sum(va_list *from);

pausable int sum(va_list *from) /* error: the va_list 'from' stands across a suspension point */
{
    va_list args; /* error: the va_list 'args' stands across a suspension point */ /* hint: before waiting */
    va_copy(args, *from);
    int n = wait_for(1) + va_arg(args, int);
    va_end(args);
    return n;
}
