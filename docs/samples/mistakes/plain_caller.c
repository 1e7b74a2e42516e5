/* plain_caller.c - a pausable function called from a plain one. */
#include <co4.h>

pausable int wait_a_little(int n)
{
    co4_sleep(CO4_MS);
    return n;
}

static int helper(void)
{
    return wait_a_little(1);
}

int main(void)
{
    return helper();
}
