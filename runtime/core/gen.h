/* gen.h - what gen.c and plain.c share of a generator. */
#ifndef CO4_GEN_INTERNAL_H
#define CO4_GEN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"

/* ORDER: up to BORROWED it can still be resumed. TAKEN is BORROWED, when more than that has to be
 * done first. */
enum gen_state {
    GEN_FRESH,
    GEN_HELD,
    GEN_TAKEN,
    GEN_BORROWED = CO4_ABI_GEN_BORROWED,
    GEN_RUNNING,
    GEN_ENDED,
    GEN_CLOSED,
    GEN_FAILED
};

/* One value of a plain generator; `size` bytes follow. */
struct co4__value {
    struct co4__value *next;
    size_t size;
};

struct co4_gen {
    co4_abi_gen abi; /* first; value and size: what stands at the yield. `state` is a gen_state */
    void *sent;      /* to be written into *value at the next resume; NULL: nothing */
    co4_frame *root; /* kept for a wide result, once ended */
    struct co4__value *values, *newest; /* plain: not yet taken */
    struct co4__value *held;            /* plain: the one `abi.value` points into */
    struct co4_gen *outer;              /* plain: the one being filled around this one */
    uint32_t result_bytes;
    bool plain;
};

/* What a step writes is its first 64 bytes, and stores to one cache line go in pairs: the pool
 * aligns what is a multiple of a line. */
enum { CO4__GEN_BYTES = sizeof(void *) == 8 ? (sizeof(co4_gen) + 63) / 64 * 64 : sizeof(co4_gen) };

struct co4__gen_hooks {
    int (*advance)(co4_gen *g);
    void (*release)(co4_gen *g);
};

extern const struct co4__gen_hooks co4__gen_hooks;

#endif
