/* for_step.c - a for loop that waits in its condition and in its step, with continue. */
#include <co4.h>

pausable int next(int n);
pausable int count(int n);

pausable int count(int n)
{
    int seen = 0;
    for (int i = 0; i < next(n); i = next(i)) {
        if (i % 2 == 0)
            continue;
        seen++;
    }
    return seen;
}
