/* plain_caller_macro.c - the call stands in a macro; the place is where the macro is used. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

#define TWICE(f, x) (f(x) + f(x))

int main(void)
{
    int a = 1, b = TWICE(wait_for, 2); /* error: 'wait_for' is pausable and may not be called from 'main' */
    return a + b;
}
