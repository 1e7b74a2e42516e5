/* pausable_main.c - main is called by the C library. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int main(void) /* error: main is called by the C library and cannot be pausable */ /* hint: co4_run */
{
    return wait_for(1);
}
