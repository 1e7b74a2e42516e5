/* pull_plain.c - one document of pull.h, from the standard input. */
#include <stdio.h>

#include "pull.h"

int main(void)
{
    unsigned long sum = pull(0);
    printf("%lx\n", sum);
    return sum != 0 ? 0 : 1;
}
