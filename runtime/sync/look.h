/* look.h - how a value gets past the functions of maps and filters (source_operators.c).
 *
 * Such a function runs on the thread that waits, and never under a lock of the library. So its
 * listener (one that has `look`) is served by that thread alone, in the source's poll or add. These
 * copy the value, let the lock go, ask the listener's look, take the lock, see that the value is
 * still the one they asked about, and give it by acquire with CO4__ASKED.
 *
 * Another thread that has something for such a listener tells it (co4__offer): it completes the
 * wait with CO4_LOOK, by which nothing is taken. The select then polls again (source.c). Errors ask
 * no function, so they pass as ever.
 *
 * Holds. A listener that has been told leaves its place in the line. A mailbox holds back what it
 * has told a listener of, or those behind would take it each time. The select ends the hold when it
 * has polled, or at its own end (co4__hold). Where nothing is held back the object counts those
 * that have been told, and is not destroyed meanwhile. */
#ifndef CO4_LOOK_INTERNAL_H
#define CO4_LOOK_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/thread.h"

/* To acquire: CO4_OK, and look() has been asked about this value: just now, by the thread that
 * acquires; or when it was added, and another thread acquires what that answer still holds for. */
#define CO4__ASKED (INT_MIN + 1)
#define CO4__KEPT  (INT_MIN + 2)

/* What look() says; the rest is the sources' own. */
enum co4__answer {
    CO4__REFUSES = 0,
    CO4__WANTS,
    CO4__UNASKED, /* ask it, with no lock held, and look at everything again */
};

/* Before it has been asked anything. */
static inline int co4__unasked(const co4_listener *l)
{
    return l->ops->look ? CO4__UNASKED : CO4__WANTS;
}

/* After it has been asked, by its own thread; as the listener's acquire. */
static inline int co4__acquire_asked(co4_listener *l, const void *value)
{
    return l->ops->acquire(l, l->ops->look ? CO4__ASKED : CO4_OK, value);
}

static inline int co4__offer_asked(co4_listener *l, const void *value)
{
    if (!co4__acquire_asked(l, value))
        return 0;
    l->ops->complete(l, CO4_OK, value);
    return 1;
}

#define CO4__NOTIFIED 2

/* By any thread, under the source's lock: 0, it wants nothing; 1, it has taken the code and the
 * value; CO4__NOTIFIED, it will look. Wake it unless it is 0. */
static inline int co4__offer(co4_listener *l, int code, const void *value)
{
    if (CO4__UNLIKELY(code == CO4_OK && l->ops->look))
        return co4_listener_offer(l, CO4_LOOK, NULL) ? CO4__NOTIFIED : 0;
    return co4_listener_offer(l, code, value);
}

/* By its own thread: what add and drop of the source do. A source that has served the listener, or
 * found that it wants nothing any more, may be gone when it is dropped. */
static inline int co4__source_add(co4_source *s, co4_listener *l)
{
    l->source = s->ops;
    return s->ops->add(s, l);
}

static inline void co4__source_drop(co4_source *s, co4_listener *l)
{
    l->source->drop(s, l);
}

/* By its own thread, with no lock held, of what no other can take: asks, and offers. */
int co4__ask_and_offer(co4_listener *l, int code, const void *value);

/* Memory for a value that is looked at: small ones lie in it. */
struct co4__copy {
    void *at;
    union {
        unsigned char bytes[256];
        long double align;
    } small;
};

/* False: there is none. */
bool co4__copy_begin(struct co4__copy *c, size_t bytes);
void co4__copy_end(struct co4__copy *c);

/* Marks of a listener among the waiters; none when it is added. */
enum co4__node_mark {
    CO4__NODE_PLAIN,
    CO4__NODE_ANSWERED, /* it has been asked: others may serve it, if the answer is kept */
    CO4__NODE_HOLDS,    /* its select has taken the hold over */
};

/* Kept where a task counts its shields, which a listener has not. */
static inline void co4__node_mark(co4_listener *l, enum co4__node_mark mark)
{
    co4__node_of(l)->fiber.shields = (uint8_t)mark;
}

static inline bool co4__node_is(co4_listener *l, enum co4__node_mark mark)
{
    return co4__node_of(l)->fiber.shields == mark;
}

/* What a source holds back for a listener: a select that is told takes it over. In the listener's
 * space, behind the node. */
struct co4__hold {
    void (*end)(co4_listener *l); /* with no lock held */
};

struct co4__holding_node {
    co4_task node;
    struct co4__hold hold;
};
_Static_assert(sizeof(struct co4__holding_node) <= sizeof(((co4_listener *)0)->space),
               "a listener's space takes it");

static inline struct co4__hold *co4__hold_of(co4_listener *l)
{
    return &((struct co4__holding_node *)(void *)l->space)->hold;
}

static inline co4_listener *co4__listener_of_hold(struct co4__hold *h)
{
    return (co4_listener *)(void *)((char *)h - offsetof(struct co4__holding_node, hold) -
                                    offsetof(co4_listener, space));
}

/* By any thread, under the source's lock: as the acquire of one that does not look, or is
 * NODE_ANSWERED. 0 also if it has been asked about something else since. */
static inline int co4__acquire_kept(co4_listener *l, const void *value)
{
    return l->ops->acquire(l, l->ops->look ? CO4__KEPT : CO4_OK, value);
}

/* As co4__offer, of something that is held back then, if the node HOLDS afterwards. */
static inline int co4__offer_holding(co4_listener *l, void (*end)(co4_listener *l))
{
    struct co4__local *here = co4__local();
    co4__hold_of(l)->end = end;
    here->offered = co4__hold_of(l);
    int took = co4_listener_offer(l, CO4_LOOK, NULL) ? CO4__NOTIFIED : 0;
    here->offered = NULL;
    return took;
}

/* As co4__offer. A listener that is told is counted until its select has polled: `end` counts it
 * off, under the lock. Meanwhile it still waits, although it stands in no list. */
static inline int co4__offer_counted(co4_listener *l, int code, const void *value,
                                     uint32_t *notified, void (*end)(co4_listener *l))
{
    if (code != CO4_OK || !l->ops->look)
        return co4_listener_offer(l, code, value);
    int took = co4__offer_holding(l, end);
    *notified += took && co4__node_is(l, CO4__NODE_HOLDS);
    return took;
}

#endif
