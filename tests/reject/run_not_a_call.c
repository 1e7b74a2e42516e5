/* run_not_a_call.c - entry points given something that is not a call. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int main(void)
{
    int n = 2;
    n += co4_run(n);                    /* error: co4_run takes a call of a pausable function */
    n += co4_run(wait_for(1) + 1);      /* error: co4_run takes a call of a pausable function */
    n += co4_run((n++, wait_for(n)));   /* error: co4_run takes a call of a pausable function */
    co4_spawn((void)n);                 /* error: co4_spawn takes a call of a pausable function */
    co4_gen *g = co4_generate(5);       /* error: co4_generate takes a call of a pausable function */
    return n + (g != 0);
}
