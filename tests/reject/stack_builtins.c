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

int plain_call(void);

pausable void passes_on(int a, int b);
pausable void passes_on(int a, int b)
{
    (void)a, (void)b;
    __builtin_apply((void (*)())plain, __builtin_apply_args(), 32); /* error: '__builtin_apply' looks at the C stack frame of 'passes_on' */ /* error: '__builtin_apply_args' looks */ /* hint: plain function */
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

pausable int chained(char *p);
pausable int chained(char *p)
{
    int plain_one = __builtin_call_with_static_chain(plain_call(), p) + wait_for(1);
    return __builtin_call_with_static_chain(wait_for(1), p) + plain_one; /* error: a suspension point inside '__builtin_call_with_static_chain' is not woven */ /* hint: plain function */
}
