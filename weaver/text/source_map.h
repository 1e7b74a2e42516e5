/* source_map.h - from positions in the preprocessed text back to positions in the user's files. */
#ifndef CW_TEXT_SOURCE_MAP_H
#define CW_TEXT_SOURCE_MAP_H

#include "text/text.h"

typedef struct cw_source_file {
    const char *name, *real; /* `real`: canonical, without links and dots */
    const char *text;        /* "" if it cannot be read */
    size_t length;
    size_t *lines; /* offset of each line */
    size_t nlines;
} cw_source_file;

/* The user's position of the text at an offset. */
typedef struct cw_site {
    const char *file;
    uint32_t line, column; /* from 1; columns are bytes */
    uint32_t length;       /* length of the token there */
    const char *source;    /* the source line */
    /* the macro whose expansion contains the position, and whose name is there; else NULL */
    const char *macro;
    cw_place place;
} cw_site;

cw_site cw_site_of(cw_unit *unit, uint32_t at);
/* Finds the definition of the macro, and in it the word at `at` if it occurs there. Returns false
 * if it is not found. */
bool cw_site_of_macro(cw_unit *unit, const char *macro, uint32_t at, cw_site *site);
/* A marker's file name without its backslashes. */
const char *cw_file_name(cw_unit *unit, const char *quoted);
const cw_source_file *cw_source_file_of(cw_unit *unit, const char *name);
/* A line without its end; NULL if there is no such line. */
const char *cw_source_line(cw_unit *unit, const cw_source_file *file, uint32_t line);

#endif
