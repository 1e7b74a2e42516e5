/* co4/ring.h - a queue of elements of one size, for one user at a time.
 *
 * What mailboxes and channels are made around, without the lock and without anybody who waits: for
 * a task's own bookkeeping, or under a lock of the caller's. Nothing here pauses or blocks; two
 * threads may not use a ring at once.
 *
 * The memory is a ring: the oldest element may stand in the middle of it, and adding or taking at
 * either end moves nothing. It begins with none, and doubles up to the bound as elements come,
 * which is why a push can be CO4_ENOMEM; then nothing has changed. co4_ring_reserve() rules that
 * out, and so does memory of the caller's (co4_ring_init_in), which never grows.
 *
 *     co4_ring recent;
 *     co4_ring_init(&recent, sizeof(int), 100);
 *     int err = co4_ring_push(&recent, &value);
 *     …
 *     co4_ring_fini(&recent); */
#ifndef CO4_RING_H
#define CO4_RING_H

#include <stddef.h>

#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's, of any storage; may be moved by assignment. Its members are for ring.c. */
typedef struct co4_ring {
    unsigned char *slots;
    size_t elem_size, capacity;
    size_t room;        /* elements that `slots` has memory for */
    size_t head, count; /* oldest element; how many */
    int borrowed;       /* the memory is the caller's */
} co4_ring;

/* An empty ring for up to `capacity` elements (SIZE_MAX: as many as there is memory for). Cannot
 * run out of memory. CO4_OK; CO4_EINVAL for NULL, no size or no capacity. Pair with
 * co4_ring_fini(). */
int co4_ring_init(co4_ring *ring, size_t elem_size, size_t capacity);
/* The same in `bytes` bytes of the caller's, which stay in use until fini: as many elements as they
 * have room for. */
int co4_ring_init_in(co4_ring *ring, size_t elem_size, void *memory, size_t bytes);
/* Gives the memory back; it is a ring no more. NULL is nothing. */
void co4_ring_fini(co4_ring *ring);

/* The same allocated. NULL when out of memory, or for what init refuses. destroy: NULL is
 * nothing. */
CO4_MUST_USE co4_ring *co4_ring_create(size_t elem_size, size_t capacity);
void co4_ring_destroy(co4_ring *ring);

/* Memory for `count` elements now (at most the capacity): pushes within that cannot be CO4_ENOMEM.
 * CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
CO4_MUST_USE int co4_ring_reserve(co4_ring *ring, size_t count);

/* Copies *elem in behind the newest, or in front of the oldest. CO4_OK; CO4_EFULL at the capacity;
 * CO4_ENOMEM; CO4_EINVAL. *elem may not be an element of the same ring. */
CO4_MUST_USE int co4_ring_push(co4_ring *ring, const void *elem);
CO4_MUST_USE int co4_ring_push_front(co4_ring *ring, const void *elem);

/* Takes the oldest, or the newest, out, and copies it to *out (NULL: not). CO4_OK; CO4_EEMPTY;
 * CO4_EINVAL. */
int co4_ring_pop(co4_ring *ring, void *out);
int co4_ring_pop_back(co4_ring *ring, void *out);

/* Where the i-th oldest element stands, from 0; good until the ring is changed. NULL: there are not
 * so many. */
void *co4_ring_peek(const co4_ring *ring, size_t i);
/* Takes the i-th oldest out; those behind it move up. CO4_OK; CO4_EEMPTY: there are not so many;
 * CO4_EINVAL. */
int co4_ring_remove(co4_ring *ring, size_t i, void *out);
/* Takes all out. */
void co4_ring_clear(co4_ring *ring);

/* Another bound. Memory beyond it is given back, if there is memory to move the elements to; that
 * of the caller's stays, and bounds the bound. CO4_OK; CO4_EBUSY: there are more elements in it;
 * CO4_EINVAL. */
int co4_ring_set_capacity(co4_ring *ring, size_t capacity);

/* Elements in it; its bound. 0 for NULL. */
size_t co4_ring_len(const co4_ring *ring);
size_t co4_ring_capacity(const co4_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
