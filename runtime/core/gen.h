/* gen.h - a generator, for gen.c and plain.c. */
#ifndef CO4_GEN_INTERNAL_H
#define CO4_GEN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"

/* ORDER: up to BORROWED a generator can still be resumed. TAKEN is BORROWED with more work to do
 * before that. */
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
    co4_abi_gen abi; /* first; its value and size: of the current yield; `state`: a gen_state */
    void *sent;      /* to be written to *value at the next resume; NULL: nothing was sent */
    co4_frame *root; /* kept for a wide result after the end */
    struct co4__value *values, *newest; /* plain: values not taken yet */
    struct co4__value *held;            /* plain: the value into which `abi.value` points */
    struct co4_gen *outer;              /* plain: the generator being filled around this one */
    uint32_t result_bytes;
    bool wide; /* abi.fiber.result.p points to the result, which is in `root` */
    bool plain;
};

/* A step writes the first 64 bytes only, and stores to one cache line are cheap in pairs. The pool
 * aligns sizes that are multiples of a line. */
enum { CO4__GEN_BYTES = sizeof(void *) == 8 ? (sizeof(co4_gen) + 63) / 64 * 64 : sizeof(co4_gen) };

/* For plain generators. modules.c fills the table; NULL: the program can have none. */
struct co4__gen_hooks {
    int (*advance)(co4_gen *g);
    void (*release)(co4_gen *g);
};

extern const struct co4__gen_hooks co4__gen_hooks;

/* Generators that run generators nest on the C stack. Returns whether the stack is nearly used up,
 * which is reported once. */
bool co4__gen_lacks_stack(void);

#endif
