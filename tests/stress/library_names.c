/* library_names.c - functions that bear names of the C library: compilers may call them by
 * themselves, as plain ones.
 * flags: -fno-builtin
 * plain: abs strlen */
#include <stdio.h>

int abs(int n)
{
    printf("abs\n");
    return n < 0 ? -n : n;
}

unsigned long strlen(const char *text)
{
    unsigned long n = 0;
    while (text[n] != '\0')
        n++;
    return n;
}

static int both(const char *text)
{
    return (int)strlen(text) + abs(-3);
}

int main(void)
{
    printf("%d\n", both("four"));
    return 0;
}
