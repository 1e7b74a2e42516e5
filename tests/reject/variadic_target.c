/* variadic_target.c - a target whose way to pass variable arguments is not known. */
/* flags: -D_WIN32 */
#include <co4.h>

pausable int first(int n, ...)
{
    return co4_yield() + n;
}

pausable int calls(pausable int (*f)(int n, ...))
{
    int n = first(1, 2); /* error: 'first' is pausable and variadic, and co4 does not know how this target passes variable arguments */ /* hint: pass a pointer to an array, and its length */
    return n + f(1);     /* error: 'f' is pausable and variadic */
}

int main(void)
{
    return co4_run(first(1, 2)); /* error: 'first' is pausable and variadic */
}
