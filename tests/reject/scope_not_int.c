/* scope_not_int.c - the body of a scope returns a code. */
#include <co4.h>

static pausable long wait_long(long n)
{
    co4_yield();
    return n;
}

static pausable void nothing(void)
{
    co4_yield();
}

pausable int work(void);
pausable int work(void)
{
    co4_scope_run(0, nothing()); /* error: co4_scope_run takes a call that returns an int, its result code */ /* hint: return a code: CO4_OK, or a negative number */
    return co4_scope_run(0, wait_long(1)); /* error: co4_scope_run takes a call that returns an int */
}

int main(void)
{
    return co4_run(work());
}
