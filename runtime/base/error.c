/* error.c - codes to names and texts, all from the table in co4/error.h. */
#include "base/public.h"

const char *co4_strerror(int code)
{
    switch (code) {
#define TEXT(name, value, text)                                                                    \
    case value:                                                                                    \
        return text;
        CO4_ERROR_MAP(TEXT)
#undef TEXT
    default:
        return code <= CO4_ENDED(0) ? "a case of the select has ended" : "unknown error";
    }
}

const char *co4_errname(int code)
{
    switch (code) {
#define NAME(name, value, text)                                                                    \
    case value:                                                                                    \
        return "CO4_" #name;
        CO4_ERROR_MAP(NAME)
#undef NAME
    default:
        return code <= CO4_ENDED(0) ? "CO4_ENDED" : "CO4_E?";
    }
}
