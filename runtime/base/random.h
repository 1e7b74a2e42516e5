/* random.h - pseudo-random numbers. */
#ifndef CO4_RANDOM_INTERNAL_H
#define CO4_RANDOM_INTERNAL_H

#include <stdint.h>

/* Returns the n-th number of a pseudo-random sequence: a Weyl sequence, mixed as in SplitMix64
 * (Steele, Lea, Flood 2014). */
static inline uint64_t co4__random(uint64_t n)
{
    n *= 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

#endif
