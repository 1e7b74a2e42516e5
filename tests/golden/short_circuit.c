/* short_circuit.c - points behind && and in an arm of ?:, and what was computed before them. */
#include <co4.h>

pausable int ask(int question);
pausable int decide(int a, int b);

pausable int decide(int a, int b)
{
    if (a > 0 && ask(a) > b)
        return a + (b ? ask(b) : 7);
    return b;
}
