/* look.h - how a value passes the functions of maps and filters (source_operators.c).
 *
 * Purpose: such a function runs on the waiting thread, and never under a lock of the library. So
 * only that thread serves its listener (one that has `look`), in the source's poll or add. These
 * copy the value, release the lock, call the listener's look, and take the lock. If the value is
 * still the same, they give it by acquire with CO4__ASKED.
 *
 * Another thread that has a value for such a listener notifies it (co4__offer): it completes the
 * wait with CO4_LOOK, which takes no value. The select then polls again (source.c). Errors pass
 * without a call of such a function.
 *
 * Holds: a notified listener leaves the wait queue. A mailbox holds back the message or place that
 * it has notified a listener of; otherwise waiters behind it would take it each time. The select
 * ends the hold after its poll, or at its own end (end_hold). An object that holds nothing back
 * counts its notified listeners, and is not destroyed meanwhile. */
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

/* Codes for acquire. They mean CO4_OK, and that look() has answered for this value. CO4__ASKED:
 * just now, by the thread that acquires. CO4__KEPT: when the listener was added; another thread
 * acquires, and the answer still holds. */
#define CO4__ASKED (INT_MIN + 1)
#define CO4__KEPT  (INT_MIN + 2)

/* Answers of look(); sources use further values. */
enum co4__answer {
    CO4__REFUSES = 0,
    CO4__WANTS,
    CO4__UNASKED, /* call look() without a lock, then look at everything again */
};

/* The answer before look() has been called. */
static inline int co4__unasked(const co4_listener *l)
{
    return l->ops->look ? CO4__UNASKED : CO4__WANTS;
}

/* Called by the listener's own thread after look() has answered; like the listener's acquire. */
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

/* Called by any thread, under the source's lock. 0: the listener wants nothing. 1: it has taken the
 * code and the value. CO4__NOTIFIED: it will look. The caller wakes it unless the result is 0. */
static inline int co4__offer(co4_listener *l, int code, const void *value)
{
    if (CO4__UNLIKELY(code == CO4_OK && l->ops->look))
        return co4_listener_offer(l, CO4_LOOK, NULL) ? CO4__NOTIFIED : 0;
    return co4_listener_offer(l, code, value);
}

/* Called by the listener's own thread: like add and drop of the source. A source that has served
 * the listener, or found that it wants nothing any more, may be freed before the drop. */
static inline int co4__source_add(co4_source *s, co4_listener *l)
{
    l->source = s->ops;
    return s->ops->add(s, l);
}

static inline void co4__source_drop(co4_source *s, co4_listener *l)
{
    l->source->drop(s, l);
}

/* Called by the listener's own thread, without a lock, for a value that no other listener can take:
 * asks, and offers. */
int co4__ask_and_offer(co4_listener *l, int code, const void *value);

/* A source whose value has another size than its user says: CO4_EINVAL. */
extern const co4_source_ops co4__wrong_size_ops;

/* Memory for a copy of a value. A small value is in the struct itself. */
struct co4__copy {
    void *at;
    union {
        unsigned char bytes[256];
        long double align;
    } small;
};

/* False: out of memory. */
bool co4__copy_begin(struct co4__copy *c, size_t bytes);
void co4__copy_end(struct co4__copy *c);

/* Marks of a queued listener. A listener is added without a mark. */
enum co4__listener_mark {
    CO4__LISTENER_PLAIN,
    CO4__LISTENER_ANSWERED, /* look() has answered: others may serve it, if the answer holds */
    CO4__LISTENER_HOLDS,    /* its select has taken over the hold */
};

/* Called by any thread, under the source's lock: like the acquire of a listener that does not look,
 * or is ANSWERED. Also returns 0 if the listener has been asked about another value since. */
static inline int co4__acquire_kept(co4_listener *l, const void *value)
{
    return l->ops->acquire(l, l->ops->look ? CO4__KEPT : CO4_OK, value);
}

/* Like co4__offer. If the listener HOLDS afterwards, the offered value is held back for it, until
 * its select calls `end`, without a lock. */
static inline int co4__offer_holding(co4_listener *l, void (*end)(co4_listener *l))
{
    struct co4__local *here = co4__local();
    l->co4_private.end_hold = end;
    here->look.offered = l;
    int took = co4_listener_offer(l, CO4_LOOK, NULL) ? CO4__NOTIFIED : 0;
    here->look.offered = NULL;
    return took;
}

/* Like co4__offer. A notified listener is counted until its select has polled: `end` counts it off,
 * under the lock. Meanwhile it still waits, although it is not queued. */
static inline int co4__offer_counted(co4_listener *l, int code, const void *value,
                                     uint32_t *notified, void (*end)(co4_listener *l))
{
    if (code != CO4_OK || !l->ops->look)
        return co4_listener_offer(l, code, value);
    int took = co4__offer_holding(l, end);
    *notified += took && l->co4_private.mark == CO4__LISTENER_HOLDS;
    return took;
}

#endif
