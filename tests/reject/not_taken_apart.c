/* not_taken_apart.c - suspension points inside what the split does not know. */
#include <stdarg.h>
#include <stddef.h>
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct row {
    int head, cells[8];
};

static pausable va_list *list_of(va_list *list)
{
    co4_yield();
    return list;
}

pausable int work(int n);
pausable int argument(va_list *list);
pausable int tail(int n);

pausable int work(int n)
{
    return (int)offsetof(struct row, cells[wait_for(n)]); /* error: a suspension point inside this kind of expression is not woven */ /* hint: a variable of its own */
}

pausable int argument(va_list *list)
{
    return va_arg(*list_of(list), int); /* error: a suspension point inside this kind of expression is not woven */
}

pausable int tail(int n)
{
    __attribute__((musttail)) return wait_for(n); /* error: a suspension point inside this kind of statement is not woven */ /* hint: a statement of its own */
}
