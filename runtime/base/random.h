/* random.h - pseudo-random numbers. */
#ifndef CO4_RANDOM_INTERNAL_H
#define CO4_RANDOM_INTERNAL_H

#include <stdint.h>

/* The step of a Weyl sequence. Its numbers, mixed, are those of SplitMix64 (Steele, Lea, Flood
 * 2014). */
#define CO4__WEYL UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t co4__random_mix(uint64_t n)
{
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

/* Returns the n-th number of a pseudo-random sequence. */
static inline uint64_t co4__random(uint64_t n)
{
    return co4__random_mix(n * CO4__WEYL);
}

#endif
