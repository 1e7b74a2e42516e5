#include "count.h"

#include <stdio.h>

int main(void)
{
    printf("counted to %d\n", co4_run(count("consumer", 3)));
    return 0;
}
