/* argv.h - a list of words. */
#ifndef CW_COMMAND_ARGV_H
#define CW_COMMAND_ARGV_H

#include "base/types.h"

/* A list of words that owns them. `items` ends with NULL, so it can serve as an argv. */
typedef struct cw_argv {
    char **items;
    size_t count;
} cw_argv;

void cw_argv_add(cw_argv *words, const char *word);                      /* copies */
void cw_argv_add2(cw_argv *words, const char *prefix, const char *rest); /* one word: both joined */
/* Adds words up to CW_ARGV_END, a null pointer of the words' type. */
#define CW_ARGV_END ((const char *)NULL)
void cw_argv_add_all(cw_argv *words, const char *word, ...);
void cw_argv_add_expanded(cw_argv *words,
                          const char *word); /* @FILE: adds the words in it, if it exists */
void cw_argv_free(cw_argv *words);

/* "in/x.c", ".o" -> "x.o", as compilers name their outputs. The caller frees it. */
char *cw_named_after(const char *path, const char *suffix);

/* Does a word begin, or end, so? */
bool cw_starts(const char *word, const char *prefix);
bool cw_ends(const char *word, const char *suffix);

#endif
