/* spawn_plain.c - entry points given a call of a plain function. */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int plain(int n)
{
    return n;
}

pausable int work(void);

pausable int work(void)
{
    co4_task *t = co4_spawn(plain(1));       /* error: co4_spawn takes a call of a pausable function */ /* hint: mark 'plain' pausable */
    co4_gen *g = co4_generate(puts("text")); /* error: co4_generate takes a call of a pausable function */ /* hint: call 'puts' in a pausable function of your own */
    return wait_for(1) + (t != 0) + (g != 0);
}
