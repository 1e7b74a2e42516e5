/* alloc.h - malloc with a switch that makes it fail. */
#ifndef CO4_ALLOC_INTERNAL_H
#define CO4_ALLOC_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

extern CO4__OWN atomic_long co4__fail_alloc; /* 0: off; else see co4_test_fail_alloc() */
bool co4__alloc_fails_now(void);

/* Returns whether the switch is on. One relaxed load. */
static inline bool co4__alloc_may_fail(void)
{
    return atomic_load_explicit(&co4__fail_alloc, memory_order_relaxed) != 0;
}

/* Returns whether this allocation has to fail. */
static inline bool co4__alloc_fails(void)
{
    return CO4__UNLIKELY(co4__alloc_may_fail()) && co4__alloc_fails_now();
}

CO4__PRIVATE void *co4__alloc(size_t bytes); /* zeroed; NULL when out of memory */
/* The same for memory that stays until the process ends. co4_test_alloc_live() does not count
 * it. */
void *co4__alloc_for_good(size_t bytes);
CO4__PRIVATE void co4__free(void *p);

/* realloc() and free(), for memory that the caller shares with its user, or counts by itself. No
 * handler of signals leaves them: inside.h. */
void *co4__heap_grow(void *p, size_t bytes);
void co4__heap_free(void *p);

#endif
