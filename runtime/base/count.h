/* count.h - counters that one thread writes and any thread reads. */
#ifndef CO4_COUNT_INTERNAL_H
#define CO4_COUNT_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

/* Adds n. Only the thread that owns the counter calls it. */
static inline void co4__count(_Atomic uint64_t *c, uint64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline uint64_t co4__counted(const _Atomic uint64_t *c)
{
    return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)c, memory_order_relaxed);
}

#endif
