/* spell.h - tokens of any text, and the plain spelling of each. */
#ifndef CW_TEXT_SPELL_H
#define CW_TEXT_SPELL_H

#include "base/types.h"

/* Replaces spellings that later readers do not know:
 *
 * - \U000000e9 in names becomes é: gcc's preprocessor writes the former, libclang does not;
 * - digraphs become brackets, and raw strings ordinary strings;
 * - digits lose their separators;
 * - comments before a directive are removed.
 *
 * Lines stay the same. */
void cw_spell_plainly(cw_unit *unit);

/* Returns the offset after the comment, string, character, number or word at `at`, or after one
 * character. A string ends with its line. */
size_t cw_skip_token(const char *text, size_t at, size_t length);
bool cw_begins_comment(const char *text, size_t at, size_t length);
/* Are the tokens equal except for digit separators? */
bool cw_same_token(const char *a, size_t a_length, const char *b, size_t b_length);

/* Does the word occur outside comments and strings? */
bool cw_says(const char *text, size_t length, const char *word);

#endif
