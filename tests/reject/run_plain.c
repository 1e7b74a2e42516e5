/* run_plain.c - entry points take a call of a pausable function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int plain(int n)
{
    return n;
}

int main(void)
{
    return co4_run(plain(1)); /* error: co4_run takes a call of a pausable function */ /* hint: mark 'plain' pausable */
}
