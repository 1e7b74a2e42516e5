/* cache.h - a thread's cache of free objects, and its inline fast paths. For pool.c, and for code
 * whose calls may not cost more than these. */
#ifndef CO4_CACHE_INTERNAL_H
#define CO4_CACHE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/asan.h"
#include "base/compiler.h"
#include "base/public.h"
#include "memory/depot.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* Only the owning thread writes them; other threads read `room`. */
struct co4__lists {
    struct co4__object *loaded, *spare; /* spare: NULL or a whole magazine */
    _Atomic uint32_t room;              /* free entries of `loaded`: a batch minus its length */
};

/* Counts of objects by class. LARGE: blocks from malloc, and their bytes. */
#define CO4__LARGE       CO4__CLASSES
#define CO4__LARGE_BYTES (CO4__CLASSES + 1)
struct co4__use {
    _Atomic int64_t of[CO4__CLASSES + 2];
};

struct co4__cache {
    struct co4__lists of[CO4__CLASSES];
    /* Objects taken minus objects dropped by this thread, where those in `loaded` count as taken.
     * May be negative. The owner writes, other threads read. */
    struct co4__use use;
    struct co4__cache *next; /* list of all caches, newest first; under its lock */
    struct co4__cache **link;
    uint64_t number; /* grows with each new cache; constant */
};

/* A thread that computes a sum. It adds one cache at a time, and yields the lock after each. A
 * thread that ends adds its own cache to each sum that has not reached it. */
struct co4__summing {
    struct co4__cache *at; /* the next cache to add */
    int64_t *of;
    struct co4__summing *next;
};

extern struct co4__caches {
    co4__lock lock;            /* guards the fields below */
    struct co4__cache *newest; /* all caches; keeps them reachable for leak checkers */
    uint64_t made;             /* the number of caches ever made */
    struct co4__summing *summings;
} co4__caches;

/* The sum of `use` of threads that have ended or have no cache. */
extern struct co4__use co4__retired;

static inline void co4__pool_count(struct co4__cache *c, unsigned what, int64_t n)
{
    if (CO4__LIKELY(c != NULL))
        atomic_store_explicit(&c->use.of[what],
                              atomic_load_explicit(&c->use.of[what], memory_order_relaxed) + n,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&co4__retired.of[what], n, memory_order_relaxed);
}

/* Every frame is larger than a grain. */
static inline unsigned co4__class_of_frame(const co4_abi_func *func)
{
    return (func->frame_bytes + CO4__GRAIN - 1) / CO4__GRAIN;
}

static inline void co4__set_room(struct co4__lists *l, uint32_t room)
{
    atomic_store_explicit(&l->room, room, memory_order_relaxed);
}

static inline uint32_t co4__room_of(struct co4__lists *l)
{
    return atomic_load_explicit(&l->room, memory_order_relaxed);
}

/* The fast paths are inline. Each slow path is a tail call, so the fast path saves no registers. */

static inline void *co4__cache_pop(struct co4__lists *l)
{
    struct co4__object *o = l->loaded;
    if (CO4__LIKELY(o != NULL)) {
        l->loaded = o->next;
        co4__set_room(l, co4__room_of(l) + 1);
    }
    return o;
}

static inline void *co4__pool_at_hand(unsigned class)
{
    struct co4__cache *c = co4__local()->pool.cache;
    if (CO4__UNLIKELY(!c) || CO4__UNLIKELY(co4__alloc_may_fail()))
        return NULL;
    return co4__cache_pop(&c->of[class]);
}

/* Returns this thread's cache, which it makes if there is none. NULL: allocation failed, or the
 * program runs under valgrind. */
struct co4__cache *co4__pool_cache(void);
/* Called when the cache has no object of the class. NULL: allocation failed. */
void *co4__pool_fetch(unsigned class);

static inline void *co4__pool_take_class(unsigned class)
{
    void *p = co4__pool_at_hand(class);
    return CO4__LIKELY(p != NULL) ? p : co4__pool_fetch(class);
}

/* `room` is the current value of l->room. */
static inline void co4__cache_push(struct co4__lists *l, void *p, uint32_t room)
{
    struct co4__object *o = p;
    o->next = l->loaded;
    l->loaded = o;
    co4__set_room(l, room - 1);
}

/* Called when the cache has no room, or the thread has no cache. */
void co4__pool_drop_full(void *p, unsigned class);
/* For objects above CO4__LARGEST, and for all with the address sanitizer. */
void co4__pool_drop_large(void *p, size_t bytes);

static inline void co4__pool_drop_class(void *p, unsigned class)
{
    struct co4__cache *c = co4__local()->pool.cache;
    uint32_t room = CO4__LIKELY(c != NULL) ? co4__room_of(&c->of[class]) : 0;
    if (CO4__LIKELY(room != 0))
        co4__cache_push(&c->of[class], p, room);
    else
        co4__pool_drop_full(p, class);
}

/* Under valgrind threads have no caches, and each object is a block from malloc. */
bool co4__pool_is_under_valgrind(void);

/* Adds the use of a cache. */
static inline void co4__add_use(int64_t of[CO4__CLASSES + 2], struct co4__cache *c)
{
    for (unsigned i = 0; i <= CO4__LARGE_BYTES; i++) {
        of[i] += atomic_load_explicit(&c->use.of[i], memory_order_relaxed);
        if (i < CO4__CLASSES)
            of[i] -= (int64_t)co4__batch_of(i) - co4__room_of(&c->of[i]);
    }
}

#endif
