/* facts.c - forward data flow over a control-flow graph. */
#include <string.h>

#include "passes/passes.h"
#include "text/unit.h"

static void run_block(cw_facts *f, const cw_block *block, uint64_t *bits, bool report)
{
    for (size_t i = 0; i < block->nevents; i++)
        f->apply(f, &block->events[i], bits, report);
}

void cw_facts_spread(cw_facts *f)
{
    size_t words = cw_words(f->count), nblocks = f->func->nblocks;
    uint64_t *in = cw_alloc(&f->unit->arena, nblocks * words * sizeof *in);
    uint64_t *bits = cw_alloc(&f->unit->arena, words * sizeof *bits);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < nblocks; i++) {
            const cw_block *block = f->func->blocks[i];
            memcpy(bits, in + i * words, words * sizeof *bits);
            run_block(f, block, bits, false);
            for (size_t j = 0; j < block->nnext; j++)
                for (size_t w = 0; w < words; w++) {
                    uint64_t *to = &in[block->next[j]->id * words + w];
                    changed |= (bits[w] & ~*to) != 0;
                    *to |= bits[w];
                }
        }
    }
    for (size_t i = 0; i < nblocks; i++)
        run_block(f, f->func->blocks[i], in + i * words, true);
}
