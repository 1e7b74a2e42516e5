/* jumps.c - longjmp over functions that wait, and to one that has waited. */
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

static jmp_buf out;

static void deeper(int n)
{
    usleep(500);
    if (n == 0)
        longjmp(out, 42);
    deeper(n - 1);
    puts("never");
}

static int protected_call(int n)
{
    volatile int tries = 0;
    int code = setjmp(out);
    usleep(500);
    if (code == 0) {
        tries = tries + 1;
        deeper(n);
    }
    return code + tries;
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        printf("%d\n", protected_call(i));
    return 0;
}
