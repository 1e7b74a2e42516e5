/* source_map.h - from places in the preprocessed text back to places in the user's files. */
#ifndef CW_TEXT_SOURCE_MAP_H
#define CW_TEXT_SOURCE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"
#include "text/text.h"

typedef struct cw_source_file {
    const char *name, *real; /* the latter without links and dots */
    const char *text;        /* "" when it cannot be read */
    size_t length;
    size_t *lines; /* offset of each */
    size_t nlines;
} cw_source_file;

/* Where the user wrote what became the text at an offset. */
typedef struct cw_site {
    const char *file;
    uint32_t line, column; /* from 1; columns are bytes */
    uint32_t length;       /* of the token there */
    const char *source;    /* the written line */
    const char *macro; /* the place came out of this macro, whose name stands there; else NULL */
    cw_place place;
} cw_site;

cw_site cw_site_of(cw_unit *unit, uint32_t at);
/* The definition of the macro, where it holds the word at `at` if it does. False: not found. */
bool cw_site_of_macro(cw_unit *unit, const char *macro, uint32_t at, cw_site *site);
/* A marker's file name without its backslashes. */
const char *cw_file_name(cw_unit *unit, const char *quoted);
const cw_source_file *cw_source_file_of(cw_unit *unit, const char *name);
/* Without its line end; NULL: there is no such line. */
const char *cw_source_line(cw_unit *unit, const cw_source_file *file, uint32_t line);

#endif
