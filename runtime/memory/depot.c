/* depot.c - what all threads share of the pool: magazines, and slabs to carve more from.
 *
 * Purpose: a thread takes and gives whole magazines, so it takes the depot's lock once for many
 * objects. The depot carves fresh magazines from slabs, each as large as all slabs before it,
 * within limits.
 *
 * Invariants: slabs begin at a multiple of the largest power of two in their objects' size. They
 * are never freed: `co4__depot` links them, so leak checkers find them reachable, and walks need no
 * lock. An empty slab's pages belong to the system (trim.c); its objects are carved again before
 * the depot makes a new slab.
 *
 * Rejected: freeing slabs (the memory of a task may not become another object's, and walks would
 * need a lock). */
#include "memory/depot.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/pages.h"

#define APART    64 /* bytes of a cache line */
#define SLAB_MIN ((size_t)2 << 10)
#define SLAB_MAX ((size_t)256 << 10)

struct co4__depot co4__depot[CO4__CLASSES];
_Atomic int64_t co4__trim_at = CO4_NEVER;
atomic_bool co4__trim_busy;

/* Makes a slab for a class whose slabs have `total` bytes so far. */
static CO4__COLD struct co4__slab *make_slab(unsigned class, size_t total)
{
    size_t size = co4__bytes_of(class);
    size_t want = total < SLAB_MIN ? SLAB_MIN : total > SLAB_MAX ? SLAB_MAX : total;
    size_t bytes = want / size * size;
    if (bytes == 0)
        bytes = size;
    size_t align = size & (~size + 1); /* its lowest bit */
    char *memory = calloc(1, sizeof(struct co4__slab) + align + bytes);
    if (!memory)
        return NULL;
    struct co4__slab *s = (struct co4__slab *)(void *)memory;
    char *first = memory + sizeof *s;
    first += (align - (uintptr_t)first % align) % align;
    *s = (struct co4__slab){ .first = first, .bytes = bytes, .count = (uint32_t)(bytes / size) };
    return s;
}

/* Under the lock: returns whether the depot can give an object without a new slab. */
static bool has_some(const struct co4__depot *d)
{
    return d->full || d->loose || d->sorted || d->again != d->again_end || d->empty ||
           d->fresh != d->end;
}

/* Called under the lock, which it releases meanwhile. Adds a slab, unless another thread has added
 * objects in the meantime. False: allocation failed. Otherwise the caller checks again. */
static bool depot_grow(struct co4__depot *d, unsigned class)
{
    size_t total = d->total;
    co4__lock_give(&d->lock);
    struct co4__slab *s = make_slab(class, total), *surplus = s;
    co4__lock_take(&d->lock);
    if (s && !has_some(d)) {
        s->next = d->slabs;
        d->slabs = s;
        d->fresh = s->first;
        d->end = s->first + s->bytes;
        d->total += s->bytes;
        surplus = NULL;
    }
    if (surplus) {
        co4__lock_give(&d->lock);
        free(surplus);
        co4__lock_take(&d->lock);
    }
    return s != NULL;
}

/* Objects that are taken one after another may be used by two threads. They are chained so that
 * they do not lie in one cache line. */
static struct co4__object *carve(char **from, const char *end, size_t size, uint32_t batch,
                                 uint32_t *count)
{
    uint32_t apart = 1 + (uint32_t)((APART + size - 1) / size);
    struct co4__object *head = NULL, **tail = &head;
    uint32_t n = (uint32_t)((size_t)(end - *from) / size);
    n = n < batch ? n : batch;
    for (uint32_t first = 0; first < apart; first++)
        for (uint32_t i = first; i < n; i += apart) {
            *tail = (struct co4__object *)(void *)(*from + i * size);
            tail = &(*tail)->next;
        }
    *tail = NULL;
    *from += n * size;
    *count = n;
    return head;
}

/* Takes objects of a slab that has some in use, so that the others may become empty. */
static struct co4__object *take_sorted(struct co4__depot *d, uint32_t batch, uint32_t *count)
{
    struct co4__slab *s = d->sorted;
    struct co4__object *head = s->sorted, *last = head;
    uint32_t n = 1;
    for (; n < batch && last->next; n++)
        last = last->next;
    s->sorted = last->next;
    s->nsorted -= n;
    last->next = NULL;
    if (s->nsorted == 0) {
        d->sorted = s->other;
        if (s->other)
            s->other->link = &d->sorted;
    }
    *count = n;
    return head;
}

static void open_empty(struct co4__depot *d)
{
    struct co4__slab *s = d->empty;
    d->empty = s->other;
    d->away -= s->away;
    s->away = 0;
    atomic_store_explicit(&s->is_empty, false, memory_order_relaxed);
    d->again = s->first;
    d->again_end = s->first + s->bytes;
}

struct co4__object *co4__depot_take(unsigned class, uint32_t *n)
{
    struct co4__depot *d = &co4__depot[class];
    uint32_t batch = co4__batch_of(class);
    struct co4__object *o = NULL;
    *n = 0;
    co4__lock_take(&d->lock);
    while (!has_some(d) && depot_grow(d, class))
        ;
    if (d->full) {
        o = d->full;
        d->full = o->magazine;
        *n = batch;
        if (--d->nfull < d->least)
            d->least = d->nfull;
    } else if (d->loose) {
        o = d->loose;
        d->loose = o->next;
        o->next = NULL;
        *n = 1;
    } else if (d->sorted) {
        o = take_sorted(d, batch, n);
    } else {
        if (d->again == d->again_end && d->empty)
            open_empty(d);
        if (d->again != d->again_end)
            o = carve(&d->again, d->again_end, co4__bytes_of(class), batch, n);
        else if (d->fresh != d->end)
            o = carve(&d->fresh, d->end, co4__bytes_of(class), batch, n);
    }
    co4__lock_give(&d->lock);
    return o;
}

void co4__depot_give(unsigned class, struct co4__object *magazine)
{
    struct co4__depot *d = &co4__depot[class];
    co4__lock_take(&d->lock);
    magazine->magazine = d->full;
    d->full = magazine;
    bool many = ++d->nfull >= CO4__TRIM_FROM;
    co4__lock_give(&d->lock);
    if (CO4__GIVES_PAGES_BACK && CO4__UNLIKELY(many) &&
        atomic_load_explicit(&co4__trim_at, memory_order_relaxed) == CO4_NEVER) {
        int64_t never = CO4_NEVER;
        atomic_compare_exchange_strong(&co4__trim_at, &never, 0);
    }
}

void co4__depot_give_loose(unsigned class, struct co4__object *first, struct co4__object *last)
{
    struct co4__depot *d = &co4__depot[class];
    co4__lock_take(&d->lock);
    last->next = d->loose;
    d->loose = first;
    co4__lock_give(&d->lock);
}
