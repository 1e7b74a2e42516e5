/* error_texts - co4_strerror: its own codes, those of the system, those that a program adds.
 * expect: out of memory; Permission denied; unknown error; unknown error
 * expect: mine: the printer burns; unknown error; unknown error
 * expect: refused: -2002 -2002 -2002 -2002 -2002 -2002
 * expect: beside them: 0, another text */
#include <co4.h>
#include <errno.h>
#include <stdio.h>

static const char *text_of(int code)
{
    return code == -3000 ? "the printer burns" : NULL;
}

static const char *another(int code)
{
    (void)code;
    return "another text";
}

int main(void)
{
    static co4_error_texts mine = { -3010, -3000, text_of, { NULL } };
    static co4_error_texts wrong[] = {
        { -3000, -2999, another, { NULL } }, /* known already */
        { -2011, -2011, another, { NULL } }, /* co4's */
        { -4000, -2005, another, { NULL } }, /* too wide */
        { -4000, -4001, another, { NULL } }, /* no range */
        { -5000, -5000, NULL, { NULL } },    /* no texts */
    };
    static co4_error_texts more = { -2999, -2900, another, { NULL } };
    printf("%s; %s; ", co4_strerror(CO4_ENOMEM), co4_strerror(-EACCES));
    printf("%s; %s\n", co4_strerror(-1), co4_strerror(-3000));
    if (co4_error_add(&mine) != CO4_OK)
        return 1;
    printf("mine: %s; %s; %s\n", co4_strerror(-3000), co4_strerror(-3001), co4_strerror(-2999));
    printf("refused: %d", co4_error_add(NULL));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        printf(" %d", co4_error_add(&wrong[i]));
    printf("\nbeside them: %d, ", co4_error_add(&more));
    printf("%s\n", co4_strerror(-2950));
    return 0;
}
