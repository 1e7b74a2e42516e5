/* words.h - a table of words that grows while other threads read it: for what has a number. */
#ifndef CO4_WORDS_H
#define CO4_WORDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The first words are in the table itself, and a read of them is one load. Segment k follows with
 * as many words as there are before it. A segment is allocated once and never freed. */
#define CO4__WORDS_FIRST    512
#define CO4__WORDS_SEGMENTS 7
#define CO4__WORDS          (CO4__WORDS_FIRST << CO4__WORDS_SEGMENTS) /* 65536 */

struct co4__words {
    _Atomic(uintptr_t) first[CO4__WORDS_FIRST];
    _Atomic(_Atomic(uintptr_t) *) segments[CO4__WORDS_SEGMENTS];
};

_Atomic(uintptr_t) *co4__words_later(struct co4__words *words, unsigned i);
/* Makes the segment of word i. NULL: i is too large, or there is no memory. */
_Atomic(uintptr_t) *co4__words_make(struct co4__words *words, unsigned i);

/* Returns word i. NULL: i is too large, or the segment of i has never been made. */
static inline _Atomic(uintptr_t) *co4__words_at(struct co4__words *words, unsigned i)
{
    return CO4__LIKELY(i < CO4__WORDS_FIRST) ? &words->first[i] : co4__words_later(words, i);
}

#endif
