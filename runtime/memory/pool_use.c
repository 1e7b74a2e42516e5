/* pool_use.c - how much memory of the pools is in use, over all threads. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "memory/cache.h"
#include "memory/depot.h"
#include "memory/kept.h"
#include "memory/pool.h"
#include "platform/lock.h"

/* Sums up over all threads. The sum is exact if no other thread runs. */
static void sum_up(int64_t of[CO4__CLASSES + 2])
{
    co4__lock_take(&co4__caches.lock);
    struct co4__summing s = { co4__caches.newest, of, co4__caches.summings };
    co4__caches.summings = &s;
    for (unsigned i = 0; i <= CO4__LARGE_BYTES; i++)
        of[i] = atomic_load_explicit(&co4__retired.of[i], memory_order_relaxed);
    while (s.at) {
        struct co4__cache *c = s.at;
        s.at = c->next;
        co4__add_use(of, c);
        co4__lock_yield(&co4__caches.lock);
    }
    struct co4__summing **at = &co4__caches.summings;
    while (*at && *at != &s)
        at = &(*at)->next;
    if (*at)
        *at = s.next;
    co4__lock_give(&co4__caches.lock);
}

long long co4_test_pool_live(void)
{
    int64_t of[CO4__CLASSES + 2], n = 0;
    sum_up(of);
    for (unsigned i = 0; i <= CO4__LARGE; i++)
        n += of[i];
    return n;
}

void co4__pool_use(struct co4__pool_use *out)
{
    int64_t of[CO4__CLASSES + 2];
    sum_up(of);
    int64_t blocks = of[CO4__LARGE], bytes = of[CO4__LARGE_BYTES];
    *out = (struct co4__pool_use){ .reserved = (uint64_t)bytes };
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        if (class != CO4__CLASS_OF_KEPT) {
            blocks += of[class];
            bytes += of[class] * (int64_t)co4__bytes_of(class);
        }
        co4__lock_take(&co4__depot[class].lock);
        out->reserved += co4__depot[class].total - co4__depot[class].away;
        co4__lock_give(&co4__depot[class].lock);
    }
    out->tasks = (uint64_t)of[CO4__CLASS_OF_KEPT];
    out->task_bytes = (uint64_t)of[CO4__CLASS_OF_KEPT] * co4__bytes_of(CO4__CLASS_OF_KEPT);
    out->blocks = (uint64_t)blocks;
    out->block_bytes = (uint64_t)bytes;
}
