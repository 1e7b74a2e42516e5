/* bits.h - sets of locals, by their index. */
#ifndef CW_AST_BITS_H
#define CW_AST_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool cw_bit(const uint64_t *bits, size_t i)
{
    return (bits[i / 64] >> (i % 64)) & 1;
}
static inline void cw_bit_set(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void cw_bit_clear(uint64_t *bits, size_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline size_t cw_words(size_t bits)
{
    return (bits + 63) / 64;
}

#endif
