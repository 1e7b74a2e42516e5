/* ring.c - elements of one size in a ring that doubles up to a bound. It has nothing to do with
 * tasks.
 *
 * Invariants: count <= room <= capacity (of borrowed memory room == capacity, or less after
 * set_capacity: the memory stays); head < room, or both are 0. A ring that grows copies the
 * elements in order, from slot 0 on.
 *
 * Rejected: this ring in mailboxes, too. Their own (messages.c) is three words smaller, is inlined
 * into the path of a send, and grows a few messages at a time, because tasks wait for its lock. */
#include "base/ring.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_ROOM 4 /* elements */

static void *slot(const co4_ring *r, size_t i)
{
    size_t to_end = r->room - r->head;
    return r->slots + (i < to_end ? r->head + i : i - to_end) * r->elem_size;
}

static void move_to(co4_ring *r, void *memory, size_t room)
{
    unsigned char *old = r->slots, *slots = memory;
    if (slots && r->count > 0) {
        size_t to_end = r->room - r->head, upper = to_end < r->count ? to_end : r->count;
        memcpy(slots, slot(r, 0), upper * r->elem_size);
        memcpy(slots + upper * r->elem_size, r->slots, (r->count - upper) * r->elem_size);
    }
    r->slots = slots;
    r->room = room;
    r->head = 0;
    co4__free(old);
}

static int resize(co4_ring *r, size_t room)
{
    if (room == r->room)
        return CO4_OK;
    if (room > SIZE_MAX / r->elem_size)
        return CO4_ENOMEM;
    unsigned char *slots = room > 0 ? co4__alloc(room * r->elem_size) : NULL;
    if (room > 0 && !slots)
        return CO4_ENOMEM;
    move_to(r, slots, room);
    return CO4_OK;
}

int co4__ring_make_room(co4_ring *r)
{
    if (r->count == r->capacity)
        return CO4_EFULL;
    if (r->count < r->room)
        return CO4_OK;
    size_t room = r->room == 0 ? FIRST_ROOM : r->room > SIZE_MAX / 2 ? SIZE_MAX : 2 * r->room;
    return resize(r, room < r->capacity ? room : r->capacity);
}

int co4_ring_init(co4_ring *ring, size_t elem_size, size_t capacity)
{
    if (!ring || elem_size == 0 || capacity == 0)
        return CO4_EINVAL;
    *ring = (co4_ring){ .elem_size = elem_size, .capacity = capacity };
    return CO4_OK;
}

int co4_ring_init_in(co4_ring *ring, size_t elem_size, void *memory, size_t bytes)
{
    if (!memory || elem_size == 0)
        return CO4_EINVAL;
    size_t room = bytes / elem_size;
    int err = co4_ring_init(ring, elem_size, room);
    if (err == CO4_OK) {
        ring->slots = memory;
        ring->room = room;
        ring->borrowed = 1;
    }
    return err;
}

void co4_ring_destroy(co4_ring *ring)
{
    if (!ring)
        return;
    if (!ring->borrowed)
        co4__free(ring->slots);
    *ring = (co4_ring){ .elem_size = 0 };
}

int co4_ring_reserve(co4_ring *ring, size_t count)
{
    if (!ring)
        return CO4_EINVAL;
    if (count > ring->capacity)
        count = ring->capacity;
    return count > ring->room ? resize(ring, count) : CO4_OK;
}

int co4_ring_push(co4_ring *ring, const void *elem)
{
    if (!ring || !elem)
        return CO4_EINVAL;
    int err = co4__ring_make_room(ring);
    if (err == CO4_OK) {
        memcpy(slot(ring, ring->count), elem, ring->elem_size);
        ring->count++;
    }
    return err;
}

int co4_ring_push_front(co4_ring *ring, const void *elem)
{
    if (!ring || !elem)
        return CO4_EINVAL;
    int err = co4__ring_make_room(ring);
    if (err == CO4_OK) {
        ring->head = (ring->head == 0 ? ring->room : ring->head) - 1;
        ring->count++;
        memcpy(slot(ring, 0), elem, ring->elem_size);
    }
    return err;
}

static void copy_out(const co4_ring *r, size_t i, void *out)
{
    if (out)
        memcpy(out, slot(r, i), r->elem_size);
}

int co4_ring_pop(co4_ring *ring, void *out)
{
    if (!ring)
        return CO4_EINVAL;
    if (ring->count == 0)
        return CO4_EEMPTY;
    copy_out(ring, 0, out);
    ring->head = ring->head + 1 == ring->room ? 0 : ring->head + 1;
    ring->count--;
    return CO4_OK;
}

int co4_ring_pop_back(co4_ring *ring, void *out)
{
    if (!ring)
        return CO4_EINVAL;
    if (ring->count == 0)
        return CO4_EEMPTY;
    copy_out(ring, --ring->count, out);
    return CO4_OK;
}

void *co4_ring_peek(const co4_ring *ring, size_t i)
{
    return ring && i < ring->count ? slot(ring, i) : NULL;
}

int co4_ring_remove(co4_ring *ring, size_t i, void *out)
{
    if (!ring)
        return CO4_EINVAL;
    if (i >= ring->count)
        return CO4_EEMPTY;
    if (i == 0)
        return co4_ring_pop(ring, out);
    copy_out(ring, i, out);
    for (; i + 1 < ring->count; i++)
        memcpy(slot(ring, i), slot(ring, i + 1), ring->elem_size);
    ring->count--;
    return CO4_OK;
}

void co4_ring_clear(co4_ring *ring)
{
    if (ring)
        ring->head = ring->count = 0;
}

int co4_ring_set_capacity(co4_ring *ring, size_t capacity)
{
    if (!ring || capacity == 0 || (ring->borrowed && capacity > ring->room))
        return CO4_EINVAL;
    if (capacity < ring->count)
        return CO4_EBUSY;
    ring->capacity = capacity;
    /* If there is no memory to move to, the memory beyond the bound stays. */
    if (!ring->borrowed && capacity < ring->room)
        resize(ring, capacity);
    return CO4_OK;
}

size_t co4_ring_len(const co4_ring *ring)
{
    return ring ? ring->count : 0;
}

size_t co4_ring_capacity(const co4_ring *ring)
{
    return ring ? ring->capacity : 0;
}
