/* old_style_definition.c - a definition with an identifier list behind a prototype. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int sum(int a, int b);

pausable int sum(a, b) /* error: 'sum' is pausable, but defined in the old style without a prototype */
    int a, b;
{
    return wait_for(a) + b;
}
