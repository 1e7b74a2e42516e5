/* bug.c - internal errors, and memory that runs out. */
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

void *cw_must(void *memory)
{
    if (memory == NULL) {
        fputs("co4weave: error: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* Room doubles whenever the count is a power of two, so that no capacity needs to be kept. */
void *cw_more(void *items, size_t count, size_t item_bytes)
{
    if (count != 0 && (count < 4 || (count & (count - 1)) != 0))
        return items;
    return cw_must(realloc(items, (count < 4 ? 4 : count * 2) * item_bytes));
}
