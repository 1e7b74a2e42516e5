/* coverage.h - how much of what a program could do its runs have done. */
#ifndef CO4_SIMULATION_COVERAGE_H
#define CO4_SIMULATION_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/random.h"

#define CO4__COVERAGE_BITS 18

/* Pairs of places: of a decision, and of the one before it, of any thread. So a pair is a way of
 * one thread from one to the next, or a switch from one thread's place to another's. In memory of
 * all runs of a server. Two pairs may count as one. */
struct co4__coverage {
    uint64_t pairs;
    uint64_t seen[(1 << CO4__COVERAGE_BITS) / 64];
};

extern CO4__OWN struct co4__coverage *co4__coverage; /* NULL: none is counted */
/* The place of a decision is so far from that of the same address in the first program. */
extern CO4__OWN uintptr_t co4__coverage_program;

static inline void co4__covers(struct co4__coverage *c, uintptr_t *before, uintptr_t place)
{
    uint64_t n = co4__random_mix(*before * 3 + place) & ((1 << CO4__COVERAGE_BITS) - 1);
    uint64_t bit = UINT64_C(1) << n % 64;
    *before = place;
    if (c->seen[n / 64] & bit)
        return;
    c->seen[n / 64] |= bit;
    c->pairs++;
}

/* Adds what others have seen. */
static inline void co4__covers_all(struct co4__coverage *c, const struct co4__coverage *others)
{
    for (size_t i = 0; i < sizeof c->seen / sizeof *c->seen; i++) {
        c->pairs += (unsigned)__builtin_popcountll(others->seen[i] & ~c->seen[i]);
        c->seen[i] |= others->seen[i];
    }
}

#endif
