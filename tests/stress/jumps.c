/* jumps.c - setjmp and longjmp in functions that pause, and over them. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf *handler;
static const char *input;

static void fail(int code)
{
    longjmp(*handler, code);
}

static int digits(void)
{
    int value = 0;
    if (*input < '0' || *input > '9')
        fail(1);
    while (*input >= '0' && *input <= '9')
        value = 10 * value + (*input++ - '0');
    return value;
}

static int sum(void);

static int factor(void)
{
    if (*input != '(')
        return digits();
    input++;
    int value = sum();
    if (*input++ != ')')
        fail(2);
    return value;
}

static int sum(void)
{
    int value = factor();
    while (*input == '+' || *input == '*')
        if (*input++ == '+')
            value += factor();
        else
            value *= factor();
    return value;
}

static int parse(const char *text, int *value)
{
    jmp_buf here, *outer = handler;
    int code = setjmp(here);
    if (code == 0) {
        handler = &here;
        input = text;
        *value = sum();
        if (*input != '\0')
            fail(3);
    }
    handler = outer;
    return code;
}

static int guarded(int depth)
{
    jmp_buf here, *outer = handler;
    int code = setjmp(here), value = 0;
    handler = &here;
    if (code == 0) {
        if (depth == 0)
            fail(9);
        value = guarded(depth - 1);
    }
    handler = outer;
    return value + code;
}

static void show(const char *text)
{
    int value = -1, code = parse(text, &value);
    printf("%-12s %d %d\n", text, code, value);
}

int main(void)
{
    static const char *const texts[] = { "1+2*3", "(4+5)*2", "(1+2", "7+", "8)", "((((3))))" };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        show(texts[i]);
    int depth = guarded(5);
    if (setjmp(*(handler = &(jmp_buf){ 0 })) == 0)
        sum();
    printf("%d\n", depth);
    return 0;
}
