/* hold.h - the longest hold of any lock, in basic blocks of the library and bytes that are copied,
 * and whether memory is taken or given back meanwhile.
 * For programs of one file. */
#ifndef HOLD_H
#define HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <co4.h>

#define __sanitizer_cov_trace_pc count_block
#include "scaling.h"
#undef __sanitizer_cov_trace_pc

/* Of this thread: blocks since it took the first of the locks that it holds, and the most. Of all
 * threads: the most, and allocations meanwhile. */
static _Thread_local uint64_t held, longest;
static _Atomic uint64_t longest_of_all;
static atomic_uint taken_under_one;

#define BYTES_A_BLOCK 16 /* so many are copied in the time of a block, or more */

static void count_held(uint64_t n)
{
    held = locks_held > 0 ? held + n : 0;
    if (held <= longest)
        return;
    longest = held;
    for (uint64_t most = atomic_load(&longest_of_all); held > most;)
        if (atomic_compare_exchange_weak(&longest_of_all, &most, held))
            return;
}

void __sanitizer_cov_trace_pc(void)
{
    count_block();
    count_held(1);
}

static void count_memory(void)
{
    if (locks_held > 0)
        atomic_fetch_add(&taken_under_one, 1);
}

void *__libc_calloc(size_t n, size_t bytes);
void *calloc(size_t n, size_t bytes)
{
    count_memory();
    return __libc_calloc(n, bytes);
}

void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
    count_memory();
    return __libc_malloc(bytes);
}

void __libc_free(void *p);
void free(void *p)
{
    count_memory();
    __libc_free(p);
}

/* Volatile: no compiler makes a call of memcpy of it. */
static void *(*volatile move)(void *to, const void *from, size_t bytes) = memmove;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    count_held(bytes / BYTES_A_BLOCK);
    return move(to, from, bytes);
}

static inline void look(void)
{
    longest = held = 0;
}

/* The longest hold is what is measured. */
static inline void measure_hold(void)
{
    if (longest > measured)
        measured = longest;
}

/* Here it cannot fail. */
static inline void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static inline void *some(long n, size_t bytes)
{
    void *all = calloc((size_t)n, bytes);
    if (!all)
        abort();
    return all;
}

#endif
