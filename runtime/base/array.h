/* array.h - an array that gets one more item: how its memory grows.
 *
 * There is always room up to the next power of two. So its owner keeps the count of items alone,
 * which may fall as well. */
#ifndef CO4_ARRAY_INTERNAL_H
#define CO4_ARRAY_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

/* Makes room for an item behind the `count` ones of so many bytes each. Returns the array, which
 * may have moved; NULL: there is no memory, and the array is as it was. It is of malloc():
 * co4__heap_free() frees it, or the program. */
static inline void *co4__array_grow(void *items, size_t count, size_t bytes)
{
    if ((count & (count - 1)) != 0)
        return items;
    if (count > SIZE_MAX / 2 / bytes || co4__alloc_fails())
        return NULL;
    return co4__heap_grow(items, (count > 0 ? 2 * count : 1) * bytes);
}

#endif
