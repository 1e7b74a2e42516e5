/* loop.c - one suspension point in a loop. */
#include <co4.h>

pausable int total(int n);

pausable int total(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (co4_yield() != 0)
            break;
        sum += i;
    }
    return sum;
}
