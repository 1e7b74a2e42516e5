/* choice.c - test mode: random numbers of the seed. */
#include <stddef.h>

#include "base/random.h"
#include "debug/simulate.h"

uint64_t co4__simulated_draw(struct co4__simulated *x)
{
    /* The seed is mixed first: the sequences of neighbours would be the same, one number apart. */
    return co4__random(co4__random(x->options.seed) + ++x->chance);
}

unsigned co4__simulated_below(struct co4__simulated *x, unsigned n)
{
    return n > 1 ? (unsigned)(co4__simulated_draw(x) % n) : 0;
}
