/* pool.c - memory by size class: a cache for each thread, a depot for all.
 *
 * Purpose: a pause takes a frame and a return drops it, so both must cost a few instructions and no
 * lock. Each thread has a cache with two lists for each class: `loaded`, from which it takes and to
 * which it drops, and `spare`. Lists move between cache and depot as magazines of a fixed number of
 * objects (Bonwick). So a thread takes the depot's lock once per magazine, even if one thread only
 * takes and another only drops.
 *
 * Invariants: classes are 8 bytes apart, and objects have no header. Slabs begin at a multiple of
 * the largest power of two in their objects' size. So an object whose size is a multiple of 16, 32
 * … 1024 is aligned to that, as over-aligned frames need. Blocks above CO4__LARGEST come from
 * malloc or aligned_alloc. Class 0 is for kept.c alone.
 *
 * With the address sanitizer each frame comes from malloc, so that a use after the end is detected.
 * So it does under valgrind, which the fast path does not check for: threads have no caches there,
 * and each call takes the slow path.
 *
 * Rejected: malloc (17 ns a pair and 16 bytes a frame, against 3 ns and none); one lock-free list
 * for all threads (its cache line moves at each pause). */
#include "memory/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/asan.h"
#include "base/compiler.h"
#include "base/inside.h"
#include "memory/cache.h"
#include "memory/depot.h"
#include "memory/kept.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/system.h"
#include "platform/thread.h"

struct co4__caches co4__caches;
struct co4__use co4__retired;

static inline unsigned class_of(size_t bytes)
{
    return (unsigned)((bytes + CO4__GRAIN - 1) / CO4__GRAIN) + (bytes <= CO4__GRAIN);
}

/* Returns whether the program runs under memcheck, by the library that valgrind preloads. Decided
 * once for the process. */
CO4__COLD bool co4__pool_is_under_valgrind(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_char decided;
    char was = atomic_load_explicit(&decided, memory_order_relaxed);
    if (was == UNKNOWN) {
        const char *preloaded = co4__safe_env("LD_PRELOAD");
        char now = preloaded && strstr(preloaded, "/vgpreload_memcheck-") ? YES : NO;
        if (atomic_compare_exchange_strong(&decided, &was, now))
            was = now;
    }
    return was == YES;
}

/* NULL: allocation failed, or the program runs under valgrind. */
static CO4__COLD CO4__NOINLINE struct co4__cache *cache_create(void)
{
    if (co4__pool_is_under_valgrind()) {
        co4__thread_at_exit();
        return NULL;
    }
    struct co4__cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    for (unsigned class = 0; class < CO4__CLASSES; class ++)
        atomic_store_explicit(&c->of[class].room, co4__batch_of(class), memory_order_relaxed);
    co4__lock_take(&co4__caches.lock);
    c->number = ++co4__caches.made;
    c->next = co4__caches.newest;
    c->link = &co4__caches.newest;
    if (c->next)
        c->next->link = &c->next;
    co4__caches.newest = c;
    co4__lock_give(&co4__caches.lock);
    co4__local()->pool.cache = c;
    co4__thread_at_exit();
    return c;
}

struct co4__cache *co4__pool_cache(void)
{
    struct co4__cache *c = co4__local()->pool.cache;
    return CO4__LIKELY(c != NULL) ? c : cache_create();
}

/* Fills an empty `loaded`: from `spare`, or with a magazine or at least one object of the depot. */
static CO4__NOINLINE bool refill(struct co4__cache *c, unsigned class)
{
    struct co4__lists *l = &c->of[class];
    uint32_t batch = co4__batch_of(class), n;
    if (l->spare) {
        l->loaded = l->spare;
        l->spare = NULL;
        co4__set_room(l, 0);
        co4__pool_count(c, class, batch);
        return true;
    }
    l->loaded = co4__depot_take(class, &n);
    co4__set_room(l, batch - n);
    co4__pool_count(c, class, n);
    return n > 0;
}

/* A full or empty `loaded` becomes `spare`. The old `spare` goes to the depot. */
static CO4__NOINLINE void give_spare(struct co4__cache *c, unsigned class)
{
    struct co4__lists *l = &c->of[class];
    uint32_t batch = co4__batch_of(class);
    co4__pool_count(c, class, (int64_t)co4__room_of(l) - batch);
    if (l->spare)
        co4__depot_give(class, l->spare);
    l->spare = l->loaded;
    l->loaded = NULL;
    co4__set_room(l, batch);
}

static void *heap_take(size_t bytes, size_t align)
{
    return align > _Alignof(max_align_t) ? aligned_alloc(align, bytes) : malloc(bytes);
}

static void *fetch(unsigned class)
{
    struct co4__cache *c = co4__pool_cache();
    if (co4__alloc_fails())
        return NULL;
    if (CO4__UNLIKELY(!c)) {
        size_t bytes = co4__bytes_of(class); /* under valgrind the object is a block of its own */
        void *p = co4__pool_is_under_valgrind() ? heap_take(bytes, bytes & (~bytes + 1)) : NULL;
        if (p)
            co4__pool_count(NULL, class, 1);
        return p;
    }
    struct co4__lists *l = &c->of[class];
    if (!l->loaded && !refill(c, class))
        return NULL;
    return co4__cache_pop(l);
}

/* Woven code calls the pool wherever it pauses. No handler of signals may leave these slow paths,
 * with the depot's lock or in the C library's allocator. If it leaves a fast path, one object is
 * lost, as are the frames of the functions that it skips, and a magazine may have one more or less
 * than its number. */
CO4__NOINLINE void *co4__pool_fetch(unsigned class)
{
    co4__inside_begin();
    void *p = fetch(class);
    co4__inside_end();
    return p;
}

static void drop_full(void *p, unsigned class)
{
    struct co4__cache *c = co4__local()->pool.cache; /* makes none: the caller may hold a lock */
    if (!c) {
        co4__pool_count(NULL, class, -1);
        if (co4__pool_is_under_valgrind())
            free(p);
        else
            co4__depot_give_loose(class, p, p);
        return;
    }
    if (co4__room_of(&c->of[class]) == 0)
        give_spare(c, class);
    co4__cache_push(&c->of[class], p, co4__room_of(&c->of[class]));
}

CO4__NOINLINE void co4__pool_drop_full(void *p, unsigned class)
{
    co4__inside_begin();
    drop_full(p, class);
    co4__inside_end();
}

static CO4__NOINLINE void *take_large(size_t bytes, size_t align)
{
    if (co4__alloc_fails())
        return NULL;
    co4__inside_begin();
    void *p = heap_take(bytes, align);
    if (p) {
        /* A thread that has a cache gets its exit handler and the fork handlers. */
        struct co4__cache *c = ASAN ? co4__pool_cache() : co4__local()->pool.cache;
        co4__pool_count(c, CO4__LARGE, 1);
        co4__pool_count(c, CO4__LARGE_BYTES, (int64_t)bytes);
    }
    co4__inside_end();
    return p;
}

void *co4__pool_take(size_t bytes)
{
    if (ASAN || CO4__UNLIKELY(bytes > CO4__LARGEST))
        return take_large(bytes, 0);
    return co4__pool_take_class(class_of(bytes));
}

void *co4__pool_take_frame(const co4_abi_func *func)
{
    if (ASAN || CO4__UNLIKELY(func->frame_bytes > CO4__LARGEST))
        return take_large(func->frame_bytes, co4_abi_align_of(func));
    return co4__pool_take_class(co4__class_of_frame(func));
}

CO4__NOINLINE void co4__pool_drop_large(void *p, size_t bytes)
{
    co4__pool_count(co4__local()->pool.cache, CO4__LARGE, -1);
    co4__pool_count(co4__local()->pool.cache, CO4__LARGE_BYTES, -(int64_t)bytes);
    co4__heap_free(p);
}

void co4__pool_drop(void *p, size_t bytes)
{
    if (ASAN || CO4__UNLIKELY(bytes > CO4__LARGEST))
        co4__pool_drop_large(p, bytes);
    else
        co4__pool_drop_class(p, class_of(bytes));
}

/* Gives the objects of a cache to the depot. */
static CO4__COLD void give_all(struct co4__cache *c)
{
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        struct co4__lists *l = &c->of[class];
        struct co4__object *last = l->loaded;
        while (last && last->next)
            last = last->next;
        if (last) {
            co4__pool_count(c, class, (int64_t)co4__room_of(l) - co4__batch_of(class));
            co4__depot_give_loose(class, l->loaded, last);
            l->loaded = NULL;
            co4__set_room(l, co4__batch_of(class));
        }
        if (l->spare)
            give_spare(c, class); /* `loaded` is empty, so `spare` becomes empty */
    }
}

void co4__pool_flush(void)
{
    struct co4__cache *c = co4__local()->pool.cache;
    co4__inside_begin();
    if (c)
        give_all(c);
    co4__inside_end();
}

void co4__pool_thread_begin(void)
{
    if (!ASAN) /* with the sanitizer a drop is a free() */
        co4__pool_cache();
}

CO4__COLD void co4__pool_thread_exit(void)
{
    struct co4__cache *c = co4__local()->pool.cache;
    if (!c)
        return;
    co4__local()->pool.cache = NULL;
    give_all(c);
    co4__lock_take(&co4__caches.lock);
    for (struct co4__summing *s = co4__caches.summings; s; s = s->next)
        if (s->at && s->at->number >= c->number) {
            co4__add_use(s->of, c);
            s->at = s->at == c ? c->next : s->at;
        }
    for (unsigned i = 0; i <= CO4__LARGE_BYTES; i++)
        atomic_fetch_add_explicit(&co4__retired.of[i],
                                  atomic_load_explicit(&c->use.of[i], memory_order_relaxed),
                                  memory_order_relaxed);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    co4__lock_give(&co4__caches.lock);
    free(c);
}

/* ---- forks ---- */

/* The child loses the objects in the caches of other threads, and those that another thread was
 * sorting. */
CO4__COLD void co4__pool_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&co4__caches.lock);
    if (how == CO4__FORK_CHILD) {
        co4__caches.summings = NULL;
        atomic_store(&co4__trim_busy, false);
    }
    for (unsigned class = 0; class < CO4__CLASSES; class ++)
        if (how == CO4__FORK_PREPARE)
            co4__lock_take(&co4__depot[class].lock);
        else
            co4__lock_give(&co4__depot[class].lock);
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&co4__caches.lock);
}
