#include "count.h"

#include <stdio.h>

pausable int count(const char *name, int n)
{
    for (int i = 1; i <= n; i++) {
        co4_yield();
        printf("%s %d\n", name, i);
    }
    return n;
}
