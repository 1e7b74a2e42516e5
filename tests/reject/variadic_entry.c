/* variadic_entry.c - an entry point cannot keep variable arguments. */
#include <co4.h>

pausable int sum(int n, ...);

int main(void)
{
    co4_spawn(sum(2, 1, 2));      /* error: co4_spawn cannot keep the arguments of 'sum', which is variadic */ /* hint: fixed parameters */
    return co4_run(sum(2, 1, 2)); /* error: co4_run cannot keep the arguments of 'sum', which is variadic */
}
