/* shadow.h - what is known of each eight bytes of memory: who has accessed them (shadow.c). */
#ifndef CO4_SIMULATION_SHADOW_H
#define CO4_SIMULATION_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Kinds of accesses: bits. */
enum co4__access_kind {
    CO4__ACCESS_WRITES = 1,
    CO4__ACCESS_ATOMIC = 2, /* or volatile */
    CO4__ACCESS_FREES = 4   /* it writes, too */
};

struct co4__access {
    struct co4__access *next;
    const void *place; /* where the code goes on */
    uint32_t thread, time;
    uint8_t bytes; /* of the eight: a bit each */
    uint8_t kind;
};

struct co4__cell {
    struct co4__access *accesses;
    struct co4__sync *sync; /* of the object that begins in these bytes; races.c */
};

/* The cell of an address. NULL: out of memory, or nothing is known there and `make` is false. */
CO4__OWN struct co4__cell *co4__shadow_at(uintptr_t at, int make);
/* NULL: out of memory. */
CO4__OWN struct co4__access *co4__access_new(void);
CO4__OWN void co4__access_free(struct co4__access *a);
/* Nothing is known of these bytes any more. */
CO4__OWN void co4__shadow_clear(uintptr_t at, size_t bytes);
/* Memory that is never freed, all zero; NULL: there is none. Not from malloc(), as addresses of the
 * program would change. */
CO4__OWN void *co4__shadow_memory(size_t bytes);

#endif
