/* no_pause_follows.c - alloca and setjmp in pausable functions, where nothing waits until they
 * return.
 * needs: setjmp
 * expect: reversed cba and cba
 * expect: caught 7 at 3
 * expect: early 5 */
#include <alloca.h>
#include <co4.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void reverse(char *out, const char *text)
{
    size_t length = (size_t)wait_for((int)strlen(text));
    char *copy = alloca(length + 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = text[length - 1 - i];
    copy[length] = '\0';
    strcpy(out, copy);
}

static jmp_buf back;

static void fail(int code)
{
    longjmp(back, code);
}

static pausable int guarded(int n)
{
    volatile int reached = wait_for(n);
    int code = setjmp(back);
    if (code != 0)
        return code * 10 + reached;
    for (; reached < 10; reached++)
        if (reached == 3)
            fail(7);
    return -1;
}

/* on one path there is memory, on the other a pause */
static pausable int early(int n)
{
    if (n > 100) {
        int *cells = alloca(sizeof *cells * 4);
        cells[3] = n / 100;
        return cells[3];
    }
    return wait_for(n);
}

static pausable int all(void)
{
    char text[8], other[8];
    reverse(text, "abc");
    reverse(other, "abc");
    printf("reversed %s and %s\n", text, other);
    int code = guarded(1);
    printf("caught %d at %d\n", code / 10, code % 10);
    printf("early %d\n", early(500) * (early(9) == 9));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
