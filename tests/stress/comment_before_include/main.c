/* main.c - a comment stands before the #include of a header that defines a function; directives
 * follow comments elsewhere. */
/* clang-format off */
/* the system's */ #include <stdio.h>
/* ours */ #include "twice.h"

/* on by default */ #define FAST

static int speed(int n)
{
/* of all that there is */ #ifdef FAST
    return twice(n);
    /* else */ #else
    return n;
#endif /* FAST */
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d\n", speed(i));
    return 0;
}
