/* kept.h - objects of one type, whose memory is never reused for another type. */
#ifndef CO4_KEPT_INTERNAL_H
#define CO4_KEPT_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/asan.h"
#include "base/compiler.h"
#include "memory/cache.h"
#include "platform/thread.h"

/* fetch: the cache has no object. drop_full: it has no room. Both are also called when objects are
 * hidden. */
void *co4__kept_fetch(void);
void co4__kept_drop_full(void *object);

/* A new object is all zero. A reused one has its last values, except for the first two words. NULL:
 * allocation failed. */
static inline void *co4__kept_take(void)
{
    void *p = ASAN ? NULL : co4__pool_at_hand(CO4__CLASS_OF_KEPT);
    return CO4__LIKELY(p != NULL) ? p : co4__kept_fetch();
}

static inline void co4__kept_drop(void *object)
{
    struct co4__cache *c = co4__local()->pool.cache;
    uint32_t room = !ASAN && CO4__LIKELY(c != NULL) ? co4__room_of(&c->of[CO4__CLASS_OF_KEPT]) : 0;
    if (CO4__LIKELY(room != 0))
        co4__cache_push(&c->of[CO4__CLASS_OF_KEPT], object, room);
    else
        co4__kept_drop_full(object);
}

/* Calls `each` for all objects that exist, also for those that were dropped or never taken. */
void co4__kept_each(void (*each)(void *object, void *arg), void *arg);

/* An object under the address sanitizer or valgrind. */
struct co4__hidden {
    struct co4__hidden *next;
    uintptr_t object; /* its address, inverted: leak checkers see no pointer */
};
/* Oldest first. The depot's lock of the class guards it. */
extern CO4__OWN struct co4__hidden *co4__hidden_kept;

#endif
