/* kept.c - objects whose memory is never used for anything else: tasks.
 *
 * Purpose: a stale pointer to a task points to a task for ever, and all tasks can be walked.
 *
 * Invariants: they are class 0 of the pool, whose slabs are never freed. The first two words of a
 * free object are links; the rest is as its user left it.
 *
 * With the address sanitizer and under valgrind each comes from malloc, so that these see a use
 * after the end. It is never freed but poisoned. The list of all hides its pointers, so that a task
 * which is lost is a leak. */
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

/* Objects that were given back, oldest first. A report names the place where the memory of a lost
 * object was first had: so memory is used again only when RESTING others have come behind it. */
enum { RESTING = 1 << 16 };
static struct co4__object *resting, **resting_end = &resting; /* the depot's lock */
static unsigned nresting;

static void *rested(void)
{
    struct co4__object *o = NULL;
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    if (nresting > RESTING) {
        o = resting;
        resting = o->next;
        nresting--;
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

static void *take_hidden(void)
{
    void *o = rested();
    o = o ? o : new_hidden();
    if (o)
        co4__pool_count(co4__pool_cache(), CO4__CLASS_OF_KEPT, 1);
    return o;
}

static void drop_hidden(void *object)
{
    struct co4__object *o = object;
    o->next = NULL;
    co4__pool_count(NULL, CO4__CLASS_OF_KEPT, -1);
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    *resting_end = o;
    resting_end = &o->next;
    nresting++;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_KEPT].lock);
}

static void each_hidden(void (*each)(void *, void *), void *arg)
{
    co4__lock_take(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    struct co4__hidden *h = co4__hidden_kept, **end = hidden_end;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_KEPT].lock);
    for (; h; h = &h->next == end ? NULL : h->next)
        each((void *)~h->object, arg);
}

CO4__NOINLINE void *co4__kept_fetch(void)
{
    if (!ASAN && !co4__pool_is_under_valgrind())
        return co4__pool_fetch(CO4__CLASS_OF_KEPT);
    return co4__alloc_fails() ? NULL : take_hidden();
}

CO4__NOINLINE void co4__kept_drop_full(void *object)
{
    if (ASAN || co4__pool_is_under_valgrind())
        drop_hidden(object);
    else
        co4__pool_drop_full(object, CO4__CLASS_OF_KEPT);
}

void co4__kept_each(void (*each)(void *object, void *arg), void *arg)
{
    struct co4__depot *d = &co4__depot[CO4__CLASS_OF_KEPT];
    each_hidden(each, arg);
    co4__lock_take(&d->lock);
    struct co4__slab *s = d->slabs;
    char *end = d->fresh;
    co4__lock_give(&d->lock);
    for (; s; s = s->next, end = s ? s->first + s->bytes : NULL)
        for (char *p = s->first; p != end; p += co4__kept_bytes)
            each(p, arg);
}
