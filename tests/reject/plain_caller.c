/* plain_caller.c - a pausable function called from plain code. */
#include <co4.h>

static pausable int wait_a_little(int n)
{
    co4_yield();
    return n;
}

int main(void)
{
    return wait_a_little(1); /* error: 'wait_a_little' is pausable */ /* hint: co4_run */
}
