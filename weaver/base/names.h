/* names.h - a set of names; lists of words that are known when co4weave is built. */
#ifndef CW_BASE_NAMES_H
#define CW_BASE_NAMES_H

#include "base/types.h"

typedef struct cw_name {
    const char *text; /* owned by the caller, outlives the set; need not end in NUL */
    size_t length;
    unsigned number; /* for the caller; 0 at first */
} cw_name;

typedef struct cw_names {
    cw_name *items; /* malloc'd; text is NULL in a free slot */
    size_t count, room;
} cw_names;

/* A returned pointer is valid until the next name is added. */
cw_name *cw_names_find(const cw_names *names, const char *text, size_t length); /* NULL: none */
cw_name *cw_names_add(cw_names *names, const char *text, size_t length);        /* or finds it */
void cw_names_free(cw_names *names);

/* A list is one text, with a blank between two words. Is the word in it, does the word begin with
 * one of it, or end with one? */
bool cw_lists(const char *list, const char *word, size_t length);
bool cw_lists_name(const char *list, const char *name);
bool cw_lists_begin_of(const char *list, const char *word);
bool cw_lists_end_of(const char *list, const char *word);
/* The word after this one; NULL: it is the last. `length`: of this one, then of the next; 0 for the
 * list itself, whose first word is the next. */
const char *cw_next_listed(const char *word, size_t *length);

#endif
