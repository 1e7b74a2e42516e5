/* kept.h - objects of one kind, whose memory stays theirs when they are given back. */
#ifndef CO4_KEPT_INTERNAL_H
#define CO4_KEPT_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/asan.h"
#include "base/compiler.h"
#include "memory/cache.h"
#include "platform/thread.h"

/* Of each, a multiple of CO4__GRAIN. modules.c says it. */
extern const size_t co4__kept_bytes;

/* The cache has none, or each is hidden; the cache has no room, or each is hidden. */
void *co4__kept_fetch(void);
void co4__kept_drop_full(void *object);

/* When it was taken first it is all zero; later, as it was given back but for its first two words.
 * NULL: there is no memory. */
static inline void *co4__kept_take(void)
{
    void *p = ASAN ? NULL : co4__pool_at_hand(CO4__CLASS_OF_KEPT);
    return CO4__LIKELY(p != NULL) ? p : co4__kept_fetch();
}

static inline void co4__kept_drop(void *object)
{
    struct co4__cache *c = co4__local()->cache;
    uint32_t room = !ASAN && CO4__LIKELY(c != NULL) ? co4__room_of(&c->of[CO4__CLASS_OF_KEPT]) : 0;
    if (CO4__LIKELY(room != 0))
        co4__cache_push(&c->of[CO4__CLASS_OF_KEPT], object, room);
    else
        co4__kept_drop_full(object);
}

/* Calls `each` for all there have been, also those that were given back or never taken. */
void co4__kept_each(void (*each)(void *object, void *arg), void *arg);

/* One of them under the address sanitizer or valgrind. */
struct co4__hidden {
    struct co4__hidden *next;
    uintptr_t object; /* its address, inverted: no pointer to a leak checker */
};
/* Oldest first; the lock of their class guards it. */
extern CO4__OWN struct co4__hidden *co4__hidden_kept;

#endif
