/* spell.h - tokens of any text, and the one spelling of each. */
#ifndef CW_TEXT_SPELL_H
#define CW_TEXT_SPELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/types.h"

/* Spells anew what later readers of the text would have to know: gcc's preprocessor writes é as
 * \U000000e9 in names, libclang does not; digraphs become the brackets that they are; raw strings
 * become ordinary ones; digits lose their separators; comments in front of a directive go. Lines
 * stay. */
void cw_spell_plainly(cw_unit *unit);

/* Past the comment, string, character, number or word at `at`, or past one character. A string ends
 * with its line. */
size_t cw_skip_token(const char *text, size_t at, size_t length);
bool cw_begins_comment(const char *text, size_t at, size_t length);
/* Are they the same but for separators between digits? */
bool cw_same_token(const char *a, size_t a_length, const char *b, size_t b_length);

/* Is the word there, outside of comments and strings? */
bool cw_says(const char *text, size_t length, const char *word);

#endif
