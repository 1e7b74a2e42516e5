/* plain_runtime_call.c - a primitive of the runtime called from plain code. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static void helper(int n)
{
    co4_gen_yield(&n); /* error: from 'helper' */ /* hint: mark 'helper' pausable, and start the generator with co4_generate( */
}

int main(void)
{
    int n = co4_run(wait_for(1));
    helper(n);
    co4_yield();       /* error: 'co4_yield' is pausable and may not be called from 'main' */ /* hint: co4_run(co4_yield( */
    co4_gen_yield(&n); /* error: is pausable and may not be called from 'main' */ /* hint: start that with co4_generate( */
    return n;
}
