/* plain_runtime_call.c - a primitive of the runtime called from plain code. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

int main(void)
{
    int n = co4_run(wait_for(1));
    co4_yield();       /* error: 'co4_yield' is pausable and may not be called from 'main' */ /* hint: co4_run(co4_yield( */
    co4_gen_yield(&n); /* error: is pausable and may not be called from 'main' */
    return n;
}
