/* future_combine.c - futures made of futures.
 *
 * Purpose: a future that is made of others (the whole) listens to each of them (a part). When a
 * part is done, its listener's complete, under that future's lock, puts the value in its place and
 * sees whether the outcome is certain now. Its wake, without a lock, then finishes the whole,
 * releases the other parts and cancels them.
 *
 * Memory: the parts are behind the value of the whole. Each part that listens has a reference to
 * the whole. Its wake releases that, or the function that drops its listener; what
 * co4__listener_drop() returns says which. So no task is woken through memory that has been freed.
 * The whole has references to the futures of its parts until it is freed.
 *
 * Concurrency: the outcome may be certain before all parts listen. Then the maker of the whole
 * releases them after it has added all. One thread decides, and one releases. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "structured/future.h"

enum mode { ALL, ALT, FIRST };

struct part {
    co4_listener listener;
    co4_future *whole, *future;
    size_t at;    /* the offset of its value */
    bool decides; /* written by complete, read by wake */
};

struct parts {
    struct co4__combined base;
    co4__lock lock; /* guards the fields that are not constant */
    enum mode mode;
    int flags;
    int count;
    int listening; /* the number of parts that have been added to their futures */
    int pending;   /* not done */
    int code, winner;
    bool certain, making;
    struct part part[];
};

static struct parts *parts_of(struct co4__combined *base)
{
    return (struct parts *)(void *)base;
}

static struct part *part_of(co4_listener *l)
{
    return (struct part *)(void *)((char *)l - offsetof(struct part, listener));
}

static size_t combined_bytes(const struct co4__combined *base)
{
    const struct parts *g = (const void *)base;
    return sizeof *g + (size_t)g->count * sizeof g->part[0];
}

static void free_parts(struct co4__combined *base)
{
    struct parts *g = parts_of(base);
    for (int i = 0; i < g->count; i++)
        co4_future_release(g->part[i].future);
}

/* ---- the outcome ---- */

/* Called under the lock. A part is done with this code. Returns whether the outcome is certain. */
static bool decides(struct parts *g, int code)
{
    g->pending--;
    switch (g->mode) {
    case ALL:
        return code != CO4_OK || g->pending == 0;
    case ALT:
        return code == CO4_OK || g->pending == 0;
    default:
        return true;
    }
}

/* Removes the listeners of the other parts. One thread calls it, once, when no more are added. */
static void let_go(struct parts *g)
{
    for (int i = 0; i < g->listening; i++) {
        struct part *p = &g->part[i];
        if (co4__listener_drop(&p->future->wait_queue, &p->listener))
            co4_future_release(p->whole);
    }
    if (g->flags & CO4_FUTURE_CANCEL)
        for (int i = 0; i < g->count; i++)
            if (i != g->winner)
                co4_future_cancel(g->part[i].future, 0);
}

/* The caller has made the outcome certain. */
static void combined_finish(co4_future *whole)
{
    struct parts *g = parts_of(whole->combined);
    bool has_value = g->code == CO4_OK && whole->size > 0;
    co4__future_finish(whole, g->code, has_value ? co4__future_value(whole) : NULL);
    co4__lock_take(&g->lock);
    bool making = g->making;
    co4__lock_give(&g->lock);
    if (!making)
        let_go(g);
}

/* ---- the listeners ---- */

static void part_complete(co4_listener *l, int code, const void *value)
{
    struct part *p = part_of(l);
    struct parts *g = parts_of(p->whole->combined);
    co4__lock_take(&g->lock);
    if (!g->certain) {
        if (value && (g->mode != ALT || code == CO4_OK))
            memcpy((char *)co4__future_value(p->whole) + p->at, value, p->future->size);
        if (decides(g, code)) {
            g->certain = p->decides = true;
            g->code = code;
            g->winner = (int)(p - g->part);
        }
    }
    co4__lock_give(&g->lock);
}

static void part_wake(co4_listener *l)
{
    struct part *p = part_of(l);
    co4_future *whole = p->whole;
    if (p->decides)
        combined_finish(whole);
    co4_future_release(whole);
}

static const co4_listener_ops part_ops = {
    .acquire = co4__listener_acquire_always,
    .complete = part_complete,
    .release = co4__listener_release_empty,
    .wake = part_wake,
    .owner = co4__listener_is_owner,
};

static void cancel(co4_future *whole)
{
    struct parts *g = parts_of(whole->combined);
    co4__lock_take(&g->lock);
    bool ours = !g->certain;
    if (ours) {
        g->certain = true;
        g->code = CO4_ECANCELED;
    }
    co4__lock_give(&g->lock);
    if (ours)
        combined_finish(whole);
}

/* ---- making one ---- */

static co4_future *combined_create(enum mode mode, int flags, size_t size, int count,
                                   unsigned depth)
{
    if (co4__nests_too_deep(depth))
        return NULL;
    size_t more = sizeof(struct parts) + (size_t)count * sizeof(struct part);
    co4_future *whole = co4__future_make(size, more);
    if (!whole)
        return NULL;
    struct parts *g = co4__future_more(whole);
    memset(g, 0, more);
    whole->depth = depth;
    g->mode = mode;
    g->flags = flags;
    g->count = g->pending = count;
    g->winner = -1;
    g->making = true;
    g->base = (struct co4__combined){ combined_bytes, free_parts, cancel };
    whole->combined = &g->base;
    return whole;
}

static void set_part(co4_future *whole, int i, co4_future *future, size_t at)
{
    parts_of(whole->combined)->part[i] = (struct part){ .listener = { .ops = &part_ops },
                                                        .whole = whole,
                                                        .future = co4_future_retain(future),
                                                        .at = at };
}

static co4_future *listen(co4_future *whole)
{
    struct parts *g = parts_of(whole->combined);
    bool certain = false;
    for (int i = 0; i < g->count && !certain; i++) {
        struct part *p = &g->part[i];
        co4_source *source = co4_future_source(p->future);
        co4_future_retain(whole);
        g->listening = i + 1; /* other threads read it after making */
        source->ops->add(source, &p->listener);
        co4__lock_take(&g->lock);
        certain = g->certain;
        co4__lock_give(&g->lock);
    }
    co4__lock_take(&g->lock);
    g->making = false;
    certain = g->certain;
    co4__lock_give(&g->lock);
    if (certain)
        let_go(g);
    return whole;
}

static co4_future *combine(enum mode mode, co4_future *const *futures, int count, int flags)
{
    if (!futures || count <= 0 || (flags & ~CO4_FUTURE_CANCEL) ||
        (size_t)count > SIZE_MAX / 8 / sizeof(struct part))
        return NULL;
    unsigned depth = 0;
    for (int i = 0; i < count; i++) {
        if (!futures[i] || futures[i]->size != futures[0]->size)
            return NULL;
        depth = futures[i]->depth > depth ? futures[i]->depth : depth;
    }
    size_t size = futures[0]->size;
    if (mode == ALL && size > SIZE_MAX / 8 / (size_t)count)
        return NULL;
    co4_future *whole = combined_create(mode, flags, mode == ALL ? size * (size_t)count : size,
                                        count, depth + 1);
    if (!whole)
        return NULL;
    for (int i = 0; i < count; i++)
        set_part(whole, i, futures[i], mode == ALL ? size * (size_t)i : 0);
    return listen(whole);
}

co4_future *co4_future_zip(co4_future *a, size_t at_a, co4_future *b, size_t at_b, size_t size,
                           int flags)
{
    if (!a || !b || (flags & ~CO4_FUTURE_CANCEL) || at_a > size || a->size > size - at_a ||
        at_b > size || b->size > size - at_b)
        return NULL;
    co4_future *whole = combined_create(ALL, flags, size, 2,
                                        (a->depth > b->depth ? a->depth : b->depth) + 1);
    if (!whole)
        return NULL;
    memset(co4__future_value(whole), 0, size); /* also the bytes between the two */
    set_part(whole, 0, a, at_a);
    set_part(whole, 1, b, at_b);
    return listen(whole);
}

co4_future *co4_future_all(co4_future *const *futures, int count, int flags)
{
    return combine(ALL, futures, count, flags);
}

co4_future *co4_future_alt(co4_future *const *futures, int count, int flags)
{
    return combine(ALT, futures, count, flags);
}

co4_future *co4_future_first(co4_future *const *futures, int count, int flags)
{
    return combine(FIRST, futures, count, flags);
}

int co4_future_winner(const co4_future *future)
{
    struct parts *g = future ? parts_of(future->combined) : NULL;
    if (!g)
        return -1;
    co4__lock_take(&g->lock);
    int winner = g->winner;
    co4__lock_give(&g->lock);
    return winner;
}
