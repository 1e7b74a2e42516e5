/* trim.c - unused memory of the pool goes back to the system.
 *
 * Purpose: a program that had a million tasks for a moment shall not keep their memory. A trim
 * sorts free objects by slab. When all objects of a slab are sorted the slab is empty: the system
 * gets its pages, and the slab is carved again when the depot has nothing else. Sorted objects stay
 * usable meanwhile.
 *
 * When: an idle worker looks if some class has had CO4__TRIM_FROM magazines in the depot. A look
 * notes how many magazines each class has; the next one, a second later, sorts those that were not
 * needed in between. So a program that uses its memory once a second keeps it. When nothing is
 * left, idle workers sleep without a limit again. co4_trim() sorts all at once.
 *
 * Concurrency: one thread at a time trims (co4__trim_busy). It takes a magazine from the depot
 * under the depot's lock, finds the slabs without it, and sorts the objects under it. The list of
 * slabs only grows, so it is read without a lock. An object of a slab that is newer than this
 * thread's index goes back to the depot. Walks of tasks read pages that the system takes: the
 * runtime and the references of a free task are 0 before and afterwards.
 *
 * Rejected: a count in each slab at each drop (the fast path would have to find the slab); a thread
 * of its own; freeing slabs (depot.c). */
#include "memory/trim.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/public.h"
#include "memory/cache.h"
#include "memory/depot.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/pages.h"
#include "platform/thread.h"

#define PERIOD  CO4_SEC
#define AT_ONCE 16 /* magazines that an idle worker sorts before it looks for tasks again */

/* co4__trim_busy guards them: whether the next look sorts, or notes; the next class to be sorted;
 * the number of the period. */
static bool sorts;
static unsigned cursor;
static _Atomic uint32_t period;

/* ---- slabs by address ---- */

struct index {
    struct co4__slab **slabs;
    size_t n;
};

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)(*(struct co4__slab *const *)a)->first;
    uintptr_t y = (uintptr_t)(*(struct co4__slab *const *)b)->first;
    return (x > y) - (x < y);
}

/* False: there are no slabs, or no memory. */
static bool index_make(struct index *x, unsigned class)
{
    co4__lock_take(&co4__depot[class].lock);
    struct co4__slab *newest = co4__depot[class].slabs;
    co4__lock_give(&co4__depot[class].lock);
    x->n = 0;
    for (struct co4__slab *s = newest; s; s = s->next)
        x->n++;
    x->slabs = x->n > 0 ? malloc(x->n * sizeof *x->slabs) : NULL;
    if (!x->slabs)
        return false;
    size_t i = 0;
    for (struct co4__slab *s = newest; s; s = s->next)
        x->slabs[i++] = s;
    qsort(x->slabs, x->n, sizeof *x->slabs, by_address);
    return true;
}

/* NULL: it is newer than the index. */
static struct co4__slab *slab_of(const struct index *x, const struct co4__object *o)
{
    uintptr_t at = (uintptr_t)o;
    size_t low = 0, high = x->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)x->slabs[middle]->first <= at)
            low = middle + 1;
        else
            high = middle;
    }
    struct co4__slab *s = low > 0 ? x->slabs[low - 1] : NULL;
    return s && at - (uintptr_t)s->first < s->bytes ? s : NULL;
}

/* ---- sorting ---- */

/* Under the lock. Returns whether the slab has become empty; then it is in no list. */
static bool sort_one(struct co4__depot *d, struct co4__slab *s, struct co4__object *o)
{
    o->next = s->sorted;
    s->sorted = o;
    if (s->nsorted++ == 0) {
        s->other = d->sorted;
        s->link = &d->sorted;
        if (s->other)
            s->other->link = &s->other;
        d->sorted = s;
    }
    if (s->nsorted < s->count)
        return false;
    *s->link = s->other;
    if (s->other)
        s->other->link = s->link;
    s->sorted = NULL;
    s->nsorted = 0;
    atomic_store_explicit(&s->is_empty, true, memory_order_relaxed);
    return true;
}

/* Sorts a list of at most CO4__MAGAZINE objects, and adds the bytes that the system has got. False:
 * some are newer than the index, and have become loose. */
static bool sort(struct co4__depot *d, const struct index *x, struct co4__object *list,
                 size_t *away)
{
    struct co4__object *objects[CO4__MAGAZINE];
    struct co4__slab *slabs[CO4__MAGAZINE], *emptied = NULL;
    size_t n = 0;
    bool known = true;
    for (; list; list = list->next) {
        objects[n] = list;
        slabs[n++] = slab_of(x, list);
    }
    co4__lock_take(&d->lock);
    for (size_t i = 0; i < n; i++)
        if (!slabs[i]) {
            objects[i]->next = d->loose;
            d->loose = objects[i];
            known = false;
        } else if (sort_one(d, slabs[i], objects[i])) {
            slabs[i]->other = emptied;
            emptied = slabs[i];
        }
    co4__lock_give(&d->lock);
    for (struct co4__slab *s = emptied, *next; s; s = next) {
        next = s->other;
        s->away = co4__pages_give_back(s->first, s->bytes);
        *away += s->away;
        co4__lock_take(&d->lock);
        s->other = d->empty;
        d->empty = s;
        d->away += s->away;
        co4__lock_give(&d->lock);
    }
    return known;
}

/* NULL: none of those that were not needed is left. */
static struct co4__object *take_unused(struct co4__depot *d)
{
    co4__lock_take(&d->lock);
    struct co4__object *o = d->least > 0 ? d->full : NULL;
    if (o) {
        d->full = o->magazine;
        d->nfull--;
        d->least--;
    }
    co4__lock_give(&d->lock);
    return o;
}

/* Takes at most CO4__MAGAZINE loose objects. */
static struct co4__object *take_loose(struct co4__depot *d)
{
    struct co4__object *head, **end = &head;
    co4__lock_take(&d->lock);
    head = d->loose;
    for (int i = 0; i < CO4__MAGAZINE && *end; i++)
        end = &(*end)->next;
    d->loose = *end;
    *end = NULL;
    co4__lock_give(&d->lock);
    return head;
}

/* Sorts the unused magazines of a class, and the loose objects, as many as *left allows. */
static size_t sort_class(unsigned class, long *left)
{
    struct co4__depot *d = &co4__depot[class];
    struct index x;
    struct co4__object *o;
    size_t away = 0;
    if (!index_make(&x, class))
        return 0;
    bool known = true;
    for (; *left > 0 && (o = take_unused(d)) != NULL; --*left)
        known = sort(d, &x, o, &away) && known;
    for (; known && *left > 0 && (o = take_loose(d)) != NULL; --*left)
        known = sort(d, &x, o, &away);
    free(x.slabs);
    return away;
}

/* Notes the magazines of each class. Returns the largest number. */
static uint32_t trim_note(void)
{
    uint32_t most = 0;
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        struct co4__depot *d = &co4__depot[class];
        co4__lock_take(&d->lock);
        d->least = d->nfull;
        most = d->nfull > most ? d->nfull : most;
        co4__lock_give(&d->lock);
    }
    return most;
}

/* ---- when ---- */

static bool trim_begin(void)
{
    return !atomic_exchange_explicit(&co4__trim_busy, true, memory_order_acquire);
}

static void trim_end(void)
{
    atomic_store_explicit(&co4__trim_busy, false, memory_order_release);
}

/* Returns when the next part of the work is due. */
static int64_t trim_look(int64_t now)
{
    if (!sorts) {
        /* The store comes before the depots' locks. A thread that gives a magazine later sees it,
         * and asks for a look again. */
        atomic_store(&co4__trim_at, CO4_NEVER);
        if (trim_note() < CO4__TRIM_FROM)
            return CO4_NEVER;
        atomic_fetch_add_explicit(&period, 1, memory_order_relaxed);
        cursor = 0;
        sorts = true;
        return now + PERIOD;
    }
    for (long left = AT_ONCE; cursor < CO4__CLASSES; cursor++) {
        co4__lock_take(&co4__depot[cursor].lock);
        bool has_unused = co4__depot[cursor].least > 0;
        co4__lock_give(&co4__depot[cursor].lock);
        if (has_unused)
            sort_class(cursor, &left);
        if (left == 0)
            return now;
    }
    sorts = false;
    return now;
}

int64_t co4__trim_now(int64_t at)
{
    struct co4__local *here = co4__local();
    uint32_t number = atomic_load_explicit(&period, memory_order_relaxed);
    if (here->simulate.state)
        return CO4_NEVER;
    if (here->pool.flushed != number) {
        here->pool.flushed = number;
        co4__pool_flush();
    }
    int64_t now = co4__clock();
    if (now < at)
        return at;
    if (!trim_begin())
        return now + PERIOD; /* another thread works at it */
    at = trim_look(now);
    if (at != CO4_NEVER)
        atomic_store(&co4__trim_at, at);
    trim_end();
    return at;
}

size_t co4_trim(void)
{
    size_t away = 0;
    if (!CO4__GIVES_PAGES_BACK)
        return 0;
    co4__pool_flush();
    for (unsigned tries = 0; !trim_begin(); tries++)
        co4__back_off(tries);
    trim_note();
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        long all = INT32_MAX;
        away += sort_class(class, &all);
    }
    sorts = false;
    trim_end();
    return away;
}
