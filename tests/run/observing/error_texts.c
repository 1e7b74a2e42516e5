/* error_texts - co4_strerror, co4_errname: co4's codes, those of the system, those that a program
 * adds.
 * expect: out of memory; Permission denied; -1 is no code: it may be the answer of a call of POSIX, and errno the reason; unknown error
 * expect: mine: the printer burns, PRINTER_BURNS; unknown error, CO4_E?; no name, CO4_E?
 * expect: refused: -2002 -2002 -2002 -2002 -2002 -2002
 * expect: beside them: 0, another text, OTHER */
#include <co4.h>
#include <errno.h>
#include <stdio.h>

static const co4_error_text of_mine[] = { { -3000, "PRINTER_BURNS", "the printer burns" },
                                          { -3010, NULL, "no name" } };
static co4_error_texts mine = { of_mine, 2, { NULL } };

static const co4_error_text known[] = { { -3001, "A", "a" }, { -3010, "B", "b" } },
                            own[] = { { CO4_EAGAIN, "AGAIN", "again" } },
                            of_errno[] = { { -13, "EACCES", "no entry" } },
                            silent[] = { { -5000, "SILENT", NULL } },
                            other[] = { { -3001, "OTHER", "another text" } };

int main(void)
{
    static co4_error_texts wrong[] = { { known, 2, { NULL } },
                                       { own, 1, { NULL } },
                                       { of_errno, 1, { NULL } },
                                       { silent, 1, { NULL } },
                                       { known, 0, { NULL } } };
    static co4_error_texts more = { other, 1, { NULL } };
    printf("%s; %s; ", co4_strerror(CO4_ENOMEM), co4_strerror(-EACCES));
    printf("%s; %s\n", co4_strerror(-1), co4_strerror(-3000));
    if (co4_error_add(&mine) != CO4_OK)
        return 1;
    printf("mine: %s, %s; %s, %s; ", co4_strerror(-3000), co4_errname(-3000), co4_strerror(-3001),
           co4_errname(-3001));
    printf("%s, %s\n", co4_strerror(-3010), co4_errname(-3010));
    printf("refused: %d", co4_error_add(NULL));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        printf(" %d", co4_error_add(&wrong[i]));
    printf("\nbeside them: %d, ", co4_error_add(&more));
    printf("%s, %s\n", co4_strerror(-3001), co4_errname(-3001));
    return 0;
}
