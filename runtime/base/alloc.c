/* alloc.c - malloc, with a switch that makes it fail.
 *
 * Purpose: a test can make the n-th allocation fail for every n, and checks that each call returns
 * a code. Every allocation of the runtime goes through this file or through the pools, and both
 * call co4__alloc_fails() first.
 *
 * Invariants: co4__fail_alloc counts towards 0. A value n > 0 makes the n-th allocation fail; the
 * switch is off afterwards. A value below zero counts up to -1, and all later allocations fail.
 *
 * Concurrency: relaxed, since tests set the switch while no other thread runs. */
#include "base/alloc.h"

#include <stdlib.h>

#include "base/inside.h"
#include "base/public.h"

atomic_long co4__fail_alloc;
static atomic_llong live;

long co4_test_fail_alloc(long n)
{
    return atomic_exchange_explicit(&co4__fail_alloc, n, memory_order_relaxed);
}

bool co4__alloc_fails_now(void)
{
    long left = atomic_load_explicit(&co4__fail_alloc, memory_order_relaxed);
    for (;;) {
        if (left == 0 || left == -1)
            return left == -1;
        long next = left > 0 ? left - 1 : left + 1;
        if (atomic_compare_exchange_weak_explicit(&co4__fail_alloc, &left, next,
                                                  memory_order_relaxed, memory_order_relaxed))
            return left == 1;
    }
}

void *co4__alloc_for_good(size_t bytes)
{
    if (co4__alloc_fails())
        return NULL;
    co4__inside_begin();
    void *p = calloc(1, bytes);
    co4__inside_end();
    return p;
}

void *co4__alloc(size_t bytes)
{
    void *p = co4__alloc_for_good(bytes);
    if (p)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

void co4__free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    co4__heap_free(p);
}

void *co4__heap_grow(void *p, size_t bytes)
{
    co4__inside_begin();
    p = realloc(p, bytes);
    co4__inside_end();
    return p;
}

void co4__heap_free(void *p)
{
    co4__inside_begin();
    free(p);
    co4__inside_end();
}

long long co4_test_alloc_live(void)
{
    return atomic_load_explicit(&live, memory_order_relaxed);
}
