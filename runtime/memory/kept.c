/* kept.c - objects whose memory is never reused for another type: tasks.
 *
 * Purpose: a pointer to a task that has ended always points to the memory of a task. And a walk can
 * visit all tasks.
 *
 * Invariants: the objects are class 0 of the pool, whose slabs are never freed. The first two words
 * of a free object are links. The other fields keep the values of the last use, or are all zero
 * after the system had the pages (trim.c).
 *
 * With the address sanitizer and under valgrind each object comes from malloc, so that these tools
 * detect a use after the end. The object is poisoned and never freed. The list of all objects hides
 * its pointers, so that the tools report a lost task as a leak. */
#include "memory/kept.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/asan.h"
#include "base/compiler.h"
#include "memory/cache.h"
#include "memory/depot.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

struct co4__hidden *co4__hidden_kept;
static struct co4__hidden **hidden_end = &co4__hidden_kept; /* the depot's lock */

/* Objects that were dropped, oldest first. A leak report names the call that first allocated the
 * memory. So an object leaves the quarantine only when QUARANTINE others have entered after it. */
enum { QUARANTINE = 1 << 16 };
static struct co4__object *quarantine, **quarantine_end = &quarantine; /* the depot's lock */
static unsigned nquarantined;

static void *leave_quarantine(void)
{
    struct co4__object *o = NULL;
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    if (nquarantined > QUARANTINE) {
        o = quarantine;
        quarantine = o->next;
        nquarantined--;
    }
    co4__lock_give(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    return o;
}

static void *new_hidden(void)
{
    struct co4__hidden *h = malloc(sizeof *h);
    void *object = h ? calloc(1, co4__kept_bytes) : NULL;
    if (!h || !object) {
        free(h);
        return NULL;
    }
    h->next = NULL;
    h->object = ~(uintptr_t)object; /* NOLINT(clang-analyzer-unix.Malloc): hidden, not lost */
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    *hidden_end = h;
    hidden_end = &h->next;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    return object;
}

static void drop_hidden(void *object)
{
    struct co4__object *o = object;
    o->next = NULL;
    co4__pool_count(NULL, CO4__CLASS_OF_KEPT, -1);
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    *quarantine_end = o;
    quarantine_end = &o->next;
    nquarantined++;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_KEPT].lock);
}

CO4__NOINLINE void *co4__kept_fetch(void)
{
    if (!ASAN && !co4__pool_is_under_valgrind())
        return co4__pool_fetch(CO4__CLASS_OF_KEPT);
    if (co4__alloc_fails())
        return NULL;
    void *o = leave_quarantine();
    o = o ? o : new_hidden();
    if (o)
        co4__pool_count(co4__pool_cache(), CO4__CLASS_OF_KEPT, 1);
    return o;
}

CO4__NOINLINE void co4__kept_drop_full(void *object)
{
    if (ASAN || co4__pool_is_under_valgrind())
        drop_hidden(object);
    else
        co4__pool_drop_full(object, CO4__CLASS_OF_KEPT);
}

CO4__COLD void co4__kept_each(void (*each)(void *object, void *arg), void *arg)
{
    struct co4__depot *d = &co4__depot[CO4__CLASS_OF_KEPT];
    co4__lock_take(&d->lock);
    struct co4__hidden *h = co4__hidden_kept, **last = hidden_end;
    struct co4__slab *s = d->slabs;
    char *end = d->fresh;
    co4__lock_give(&d->lock);
    for (; h; h = &h->next == last ? NULL : h->next)
        each((void *)~h->object, arg);
    for (; s; s = s->next, end = s ? s->first + s->bytes : NULL)
        for (char *p = s->first; p != end; p += co4__kept_bytes) {
            /* All objects of an empty slab are free; a look would bring its pages back. */
            if (atomic_load_explicit(&s->is_empty, memory_order_relaxed))
                break;
            each(p, arg);
        }
}
