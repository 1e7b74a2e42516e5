/* type_in_header.c - a struct or enum defined in the parameter list of a pausable function, or in its result type with attributes. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable struct made { /* error: 'make' is pausable, and its header defines a type */ /* hint: define it before the function */
    char c;
    int v;
} __attribute__((packed)) make(int v)
{
    struct made m = { 'c', wait_for(v) };
    return m;
}

static pausable int level(enum { low, high } of) /* error: 'level' is pausable, and its header defines a type */
{
    return wait_for((int)of);
}

int main(void)
{
    return co4_run(make(1)).v + co4_run(level(0));
}
