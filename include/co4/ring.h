/* co4/ring.h - a queue of elements of one size, for one user at a time.
 *
 * A ring is a mailbox without a lock and without waits: for a task's own bookkeeping, or under a
 * lock of the caller's. Adding and taking at either end moves no other element.
 *
 * A ring begins without memory, and doubles it up to the capacity as elements come. So a push can
 * be CO4_ENOMEM; then nothing has changed. co4_ring_reserve() rules that out, and so does memory of
 * the caller's (co4_ring_init_in), which never grows.
 *
 *     co4_ring recent;
 *     co4_ring_init(&recent, sizeof(int), 100);
 *     int err = co4_ring_push(&recent, &value);
 *     …
 *     co4_ring_destroy(&recent); */
#ifndef CO4_RING_H
#define CO4_RING_H

#include <stddef.h>

#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: one call at a time for each ring.
 * Ownership: the ring stays its owner's; no pointer is kept after the call.
 * Since: 0.1. */

/* The struct is the caller's, of any storage, and may be moved by assignment. Its members are for
 * ring.c. */
typedef struct co4_ring {
    unsigned char *slots;
    size_t elem_size, capacity;
    size_t room;        /* elements that `slots` has memory for */
    size_t head, count; /* oldest element; how many */
    int borrowed;       /* the memory is the caller's */
} co4_ring;

/* Makes an empty ring for up to `capacity` elements; SIZE_MAX is as many as there is memory for.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, and for a size or a capacity of 0.
 * Ownership: the caller ends it by co4_ring_destroy(). */
int co4_ring_init(co4_ring *ring, size_t elem_size, size_t capacity);

/* The same in memory of the caller's: for as many elements as it has room for.
 *
 * Returns: CO4_OK; CO4_EINVAL, also when it has room for none.
 * Ownership: the memory stays the caller's, and in use until co4_ring_destroy(). */
int co4_ring_init_in(co4_ring *ring, size_t elem_size, void *memory, size_t bytes);

/* Frees the memory for elements. NULL does nothing.
 *
 * Ownership: the struct is free for other use. */
void co4_ring_destroy(co4_ring *ring);

/* Allocates memory for `count` elements, at most the capacity: pushes within it cannot be
 * CO4_ENOMEM.
 *
 * Returns: CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
CO4_MUST_USE int co4_ring_reserve(co4_ring *ring, size_t count);

/* Copies *elem to the back, or to the front.
 *
 * Returns: CO4_OK; CO4_EFULL at the capacity; CO4_ENOMEM; CO4_EINVAL for NULL.
 * Ownership: *elem stays the caller's. It must not be an element of the same ring. */
CO4_MUST_USE int co4_ring_push(co4_ring *ring, const void *elem);
CO4_MUST_USE int co4_ring_push_front(co4_ring *ring, const void *elem);

/* Takes the oldest element, or the newest, and copies it to *out, unless that is NULL.
 *
 * Returns: CO4_OK, CO4_EEMPTY; CO4_EINVAL for NULL. */
int co4_ring_pop(co4_ring *ring, void *out);
int co4_ring_pop_back(co4_ring *ring, void *out);

/* Finds the i-th oldest element, from 0.
 *
 * Returns: its place, valid until the ring is changed; NULL when there are not so many. */
void *co4_ring_peek(const co4_ring *ring, size_t i);

/* Takes the i-th oldest element, and copies it to *out, unless that is NULL. Newer ones move up.
 *
 * Returns: CO4_OK; CO4_EEMPTY when there are not so many; CO4_EINVAL for NULL. */
int co4_ring_remove(co4_ring *ring, size_t i, void *out);

/* Drops all elements. */
void co4_ring_clear(co4_ring *ring);

/* Sets another capacity. Memory beyond it is freed, if the elements can be moved. Memory of the
 * caller's stays, and limits the capacity.
 *
 * Returns: CO4_OK; CO4_EBUSY when more elements are in it; CO4_EINVAL. */
int co4_ring_set_capacity(co4_ring *ring, size_t capacity);

/* How many elements are in it; its capacity.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_ring_len(const co4_ring *ring);
size_t co4_ring_capacity(const co4_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
