/* async_code_not_int.c - the result of a coded future is a code. */
#include <co4.h>

static pausable long wait_long(long n)
{
    co4_yield();
    return n;
}

int main(void)
{
    co4_future_release(co4_async_code(wait_long(1))); /* error: co4_async_code takes a call that returns an int, its result code */ /* hint: use co4_async */
    return 0;
}
