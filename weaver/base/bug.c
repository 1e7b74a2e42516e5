/* bug.c - internal errors. */
#include "base/bug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cw_bug(const char *where, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "co4weave: internal error in '%s': ", where);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\nThis is a fault of co4weave, not of your program; please report it with the source.\n",
          stderr);
    abort();
}
