/* refused.c - what co4weave refuses, it explains at its line. */
#include <co4.h>
#include <stdio.h>

static int answer(void)
{
    co4_yield(); /* only a pausable function may call it */
    return 42;
}

int main(void)
{
    printf("%d\n", answer());
    return 0;
}
