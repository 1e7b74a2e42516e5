/* argv.h - a list of words. */
#ifndef CW_COMMAND_ARGV_H
#define CW_COMMAND_ARGV_H

#include <stddef.h>

/* A list of words that owns them. `items` ends with NULL, so it can serve as an argv. */
typedef struct cw_argv {
    char **items;
    size_t count;
    size_t room;
} cw_argv;

void cw_argv_add(cw_argv *words, const char *word);                      /* copies */
void cw_argv_add2(cw_argv *words, const char *prefix, const char *rest); /* one word: both joined */
void cw_argv_add_expanded(cw_argv *words,
                          const char *word); /* @FILE: adds the words in it, if it exists */
void cw_argv_free(cw_argv *words);

/* "out/x.o" -> "x", without folder and suffix, as compilers name their outputs. The caller frees
 * it. */
char *cw_stem(const char *path);

#endif
