/* patch.h - text that is missing in files. */
#ifndef CW_TEXT_PATCH_H
#define CW_TEXT_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/names.h"

/* Text that is missing in files, in the order it was found missing; all malloc'd. */
typedef struct cw_insertion {
    char *file;            /* its real name */
    uint32_t line, column; /* from 1; column 1: a line of its own when the text ends one */
    char *text;
} cw_insertion;

typedef struct cw_patch {
    cw_insertion *items;
    size_t count;
    cw_names kept;   /* declarations that stay plain (keep.c); the texts are malloc'd */
    bool collecting; /* which declarations stay plain; no marks yet */
} cw_patch;

/* False: it is there already. */
bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text);
/* A line that is to stand in the file once, at this line or before it. */
void cw_patch_define(cw_patch *patch, const char *file, uint32_t line, const char *text);
/* A declaration that stays plain: the real name of its file, and its line there. */
void cw_patch_keep(cw_patch *patch, const char *file, uint32_t line, const char *name);
bool cw_patch_keeps(const cw_patch *patch, const char *file, uint32_t line, const char *name);
/* A unified diff. Returns how many levels above the current folder the one is that its names are
 * relative to. */
size_t cw_patch_write(const cw_patch *patch, cw_buf *out);
void cw_patch_free(cw_patch *patch);

#endif
