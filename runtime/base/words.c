/* words.c - a table of words that grows while other threads read it.
 *
 * Concurrency: the thread that makes a segment publishes it by a compare-exchange with release. The
 * acquire of a reader is its partner: the reader finds the zeros of the segment. If two threads
 * make the same segment, the later one frees its own and takes the other's. There is no lock, so
 * the child of a fork finds each segment whole or not at all.
 *
 * Rejected: one table of the whole size. Its untouched pages take no memory, but a program without
 * pages (a board, WebAssembly) has to have it, and `size` counts it. */
#include "base/words.h"

#include "base/alloc.h"

/* Returns the segment of word i, which is not among the first; in *at, the index in it. */
static unsigned segment_of(unsigned i, unsigned *at)
{
    unsigned k = 0, begins = CO4__WORDS_FIRST;
    for (; i >= 2 * begins; begins *= 2)
        k++;
    *at = i - begins;
    return k;
}

_Atomic(uintptr_t) *co4__words_later(struct co4__words *words, unsigned i)
{
    if (i >= CO4__WORDS)
        return NULL;
    unsigned at, k = segment_of(i, &at);
    _Atomic(uintptr_t) *segment = atomic_load_explicit(&words->segments[k], memory_order_acquire);
    return segment ? &segment[at] : NULL;
}

_Atomic(uintptr_t) *co4__words_make(struct co4__words *words, unsigned i)
{
    _Atomic(uintptr_t) *word = co4__words_at(words, i);
    if (word || i >= CO4__WORDS)
        return word;
    unsigned at, k = segment_of(i, &at);
    _Atomic(uintptr_t) *made = co4__alloc(((size_t)CO4__WORDS_FIRST << k) * sizeof *made);
    _Atomic(uintptr_t) *other = NULL;
    if (!made)
        return NULL;
    /* Release: pairs with the acquire in co4__words_later(); acquire on failure: the zeros of the
     * other thread's segment. */
    if (!atomic_compare_exchange_strong_explicit(&words->segments[k], &other, made,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        co4__free((void *)made);
        made = other;
    }
    return &made[at];
}
