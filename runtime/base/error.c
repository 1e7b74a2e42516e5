/* error.c - codes to names and texts, all from the table in co4/error.h. */
#include <stddef.h>

#include "base/public.h"

static const struct row {
    int code;
    const char *name, *text;
} rows[] = {
#define ROW(name, value, text) { value, "CO4_" #name, text },
    CO4_ERROR_MAP(ROW)
#undef ROW
};

static const struct row *row_of(int code)
{
    static const struct row ended = { 0, "CO4_ENDED", "a case of the select has ended" },
                            unknown = { 0, "CO4_E?", "unknown error" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return &rows[i];
    return code <= CO4_ENDED(0) ? &ended : &unknown;
}

const char *co4_strerror(int code)
{
    return row_of(code)->text;
}

const char *co4_errname(int code)
{
    return row_of(code)->name;
}
