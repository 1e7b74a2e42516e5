#include "score.h"
#include <stdio.h>

int main(void)
{
    printf("%d\n", co4_run(score(21)));
}
