/* old_style.c - definitions in the old style that callers cannot be told of, or whose parameters cannot be declared twice. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int later(); /* error: 'later' is pausable and has parameters, which this declaration does not list */ /* hint: between the brackets */

pausable int later(n)
    int n;
{
    return wait_for(n);
}

static pausable int sum(n, a) /* error: 'sum' is pausable, and its definition in the old style has a parameter of computed size */ /* hint: between the brackets */
    int n, a[n][n];
{
    return wait_for(a[0][0]);
}

pausable int elsewhere();

static pausable int calls(void)
{
    return elsewhere(1, 2); /* error: 'elsewhere' is pausable and gets arguments that its declaration does not list */ /* hint: declare it with its parameters */
}

int main(void)
{
    int a[1][1] = { { 0 } };
    return co4_run(later(1)) + co4_run(sum(1, a)) + co4_run(calls());
}
