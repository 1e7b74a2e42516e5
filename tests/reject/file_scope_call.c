/* file_scope_call.c - a pausable call where no function is. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int never = 0 && wait_for(1); /* error: 'wait_for' is pausable and may not be called here */ /* hint: set it in a function */

int main(void)
{
    return never;
}
