/* stack_builtins.c - builtins that look at the arguments or the C stack frame of the function they stand in. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void plain(int a, int b)
{
    (void)a, (void)b;
}

pausable void passes_on(int a, int b);
pausable void passes_on(int a, int b)
{
    (void)a, (void)b;
    __builtin_apply((void (*)())plain, __builtin_apply_args(), 32); /* error: '__builtin_apply' passes on the arguments of 'passes_on' */ /* error: '__builtin_apply_args' passes */ /* hint: plain function */
}

pausable void *caller(void);
pausable void *caller(void)
{
    return wait_for(1) ? __builtin_return_address(0) : (void *)0; /* error: '__builtin_return_address' looks at the C stack frame of 'caller' */
}

pausable void *never_pauses(void);
pausable void *never_pauses(void)
{
    return __builtin_return_address(0);
}
