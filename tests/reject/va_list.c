/* va_list.c - a va_list that is kept across a pause. */
#include <co4.h>
#include <stdarg.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct reader {
    int count;
    va_list args;
};

pausable int sum(va_list *from);

pausable int sum(va_list *from) /* error: the va_list 'from' is kept across a suspension point */
{
    va_list args; /* error: the va_list 'args' is kept across a suspension point */ /* hint: before the pause */
    va_copy(args, *from);
    int n = wait_for(1) + va_arg(args, int) + va_arg(*from, int);
    va_end(args);
    return n;
}

pausable int in_struct(int n, ...)
{
    struct reader reader; /* error: the va_list 'reader' is kept across a suspension point */
    va_start(reader.args, n);
    reader.count = wait_for(n);
    n = va_arg(reader.args, int);
    va_end(reader.args);
    return n + reader.count;
}
