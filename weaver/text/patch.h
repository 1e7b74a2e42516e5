/* patch.h - text to be inserted into files. */
#ifndef CW_TEXT_PATCH_H
#define CW_TEXT_PATCH_H

#include "base/buf.h"
#include "base/names.h"

/* Text to be inserted into files, in the order in which it was requested. All of it is malloc'd. */
typedef struct cw_insertion {
    char *file; /* its canonical name */
    /* from 1; at column 1, a text that ends in a newline is a line of its own */
    uint32_t line, column;
    char *text;
} cw_insertion;

typedef struct cw_patch {
    cw_insertion *items;
    size_t count;
    cw_names kept;   /* declarations that stay plain (keep.c); the texts are malloc'd */
    bool collecting; /* collects the declarations that stay plain; no marks yet */
} cw_patch;

/* Returns false if the insertion was already there. */
bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text);
/* Adds a line that the file needs once, at this line or before it. */
void cw_patch_define(cw_patch *patch, const char *file, uint32_t line, const char *text);
/* Adds a declaration that stays plain. `file` is the canonical name, `line` the line in it. */
void cw_patch_keep(cw_patch *patch, const char *file, uint32_t line, const char *name);
bool cw_patch_keeps(const cw_patch *patch, const char *file, uint32_t line, const char *name);
/* Sorts the insertions by file and place. */
void cw_patch_sort(cw_patch *patch);
/* Appends a file's text with its insertions, which are sorted. Returns false if the text has fewer
 * lines. */
bool cw_patch_apply(const cw_insertion *items, size_t count, const cw_buf *text, cw_buf *out);
void cw_patch_free(cw_patch *patch);

#endif
