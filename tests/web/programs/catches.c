/* catches.c - setjmp in a function that others interrupt by longjmp, through pointers; children. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*fn)(int);
static jmp_buf out;

static void waits(int n)
{
    usleep(100);
    if (n > 0)
        longjmp(out, n);
}

static void computes(int n)
{
    if (n > 2)
        longjmp(out, n);
}

static int guarded(fn f, int n)
{
    int code = setjmp(out);
    if (code == 0) {
        f(n);
        return 0;
    }
    return code;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int n = 0; n < 5; n++)
        printf("%d %d\n", guarded(waits, n), guarded(computes, n));
    if (argc > 9)
        return system("true") + (popen("true", "r") != NULL);
    return 0;
}
