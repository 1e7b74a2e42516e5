/* source.h - listeners: how sources serve them, and the select that waits by them.
 *
 * Maps and filters (source_operators.c): the user's function below such a listener runs on the
 * waiting thread, and never under a lock of the library. So only that thread serves the listener
 * (one that has `look`), in the source's poll or add. These copy the value, release the lock, call
 * the listener's look, and take the lock. If the value is still the same, they give it by acquire
 * with CO4__ASKED. Errors pass without a call of such a function.
 *
 * Another thread that has a value for such a listener notifies it (co4__offer): it completes the
 * wait with CO4_LOOK, which takes no value. The listener leaves the wait queue, and the select
 * polls again (source.c). It may refuse the value then, or find another case ready, or end. In a
 * queue of which one waiter is notified for each value, the notification has to be passed on then
 * (co4__offer_counted): the select calls `looked` after its poll, or at its own end, and the source
 * serves the next waiter. Meanwhile nothing is held back: a receiver that comes later may take the
 * value first. A source counts the notified listeners, and is not destroyed before they have
 * looked. A listener that has refused queues behind those that have not been asked, with the number
 * of the value. So if the first of the queue has refused a value, all have. Model: look.pml. */
#ifndef CO4_SOURCE_INTERNAL_H
#define CO4_SOURCE_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/thread.h"

/* ---- listeners ---- */

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

/* Marks of a queued listener. A listener is added without a mark. */
enum co4__listener_mark {
    CO4__LISTENER_PLAIN,
    CO4__LISTENER_ANSWERED, /* look() has answered: others may serve it, if the answer holds */
    CO4__LISTENER_REFUSED,  /* it has refused the value with the number `refused` */
    CO4__LISTENER_COUNTED,  /* notified, and its select will call `looked` */
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

/* Called by any thread, under the source's lock: like the acquire of a listener that does not look,
 * or has answered. Also returns 0 for another, and if it has been asked about another value since.
 */
static inline int co4__acquire_kept(co4_listener *l, const void *value)
{
    if (!l->ops->look)
        return l->ops->acquire(l, CO4_OK, value);
    return l->co4_private.mark == CO4__LISTENER_ANSWERED && l->ops->acquire(l, CO4__KEPT, value);
}

static inline int co4__offer_kept(co4_listener *l, const void *value)
{
    if (!co4__acquire_kept(l, value))
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

/* Like co4__offer(), but a notified listener is counted in *notified until its select calls
 * `looked`, without a lock; that counts it off. A listener that no select of the library will end
 * is not counted. */
static inline int co4__offer_counted(co4_listener *l, int code, const void *value,
                                     uint32_t *notified, void (*looked)(co4_listener *l))
{
    struct co4__local *here = co4__local();
    l->co4_private.looked = looked;
    here->look.offered = l;
    int took = co4__offer(l, code, value);
    here->look.offered = NULL;
    *notified += took == CO4__NOTIFIED && l->co4_private.mark == CO4__LISTENER_COUNTED;
    return took;
}

/* Both are called under the source's lock. set: the listener has just been queued. has: returns
 * whether it has refused the value with this number. */
static inline void co4__set_refused(co4_listener *l, unsigned number)
{
    l->co4_private.mark = CO4__LISTENER_REFUSED;
    l->co4_private.refused = number;
}

static inline bool co4__has_refused(const co4_listener *l, unsigned number)
{
    return l->co4_private.mark == CO4__LISTENER_REFUSED && l->co4_private.refused == number;
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
static inline int co4__ask_and_offer(co4_listener *l, int code, const void *value)
{
    if (code != CO4_OK || !l->ops->look)
        return co4_listener_offer(l, code, value);
    return l->ops->look(l, CO4_OK, value) != CO4__REFUSES && co4__offer_asked(l, value);
}

/* Memory for a copy of a value. A small value is in the struct itself. */
struct co4__copy {
    void *at;
    union {
        unsigned char bytes[256];
        long double align;
    } small;
};

/* False: out of memory. */
static inline bool co4__copy_begin(struct co4__copy *c, size_t bytes)
{
    c->at = bytes <= sizeof c->small ? c->small.bytes : co4__alloc(bytes);
    return c->at != NULL;
}

static inline void co4__copy_end(struct co4__copy *c)
{
    if (c->at != c->small.bytes)
        co4__free(c->at);
}

/* ---- selects ---- */

/* A select that is under way. It is in the frame of the woven wait, or on the stack of a blocked
 * thread. */
struct co4__selecting {
    co4_case *cases;
    int count, first; /* their number, and where the look begins */
    int added;        /* the number, from there on, that have been added to their sources */
    int chosen;       /* the result, CO4_EEMPTY before; written by the thread that completes a case,
                       * read after the wait */
    /* Its claim is that of all listeners; NULL: the select only polls. */
    struct co4__waiter *waiter;
    /* It has been notified, through this listener if it is counted: written and read like
     * `chosen`. */
    bool again;
    co4_listener *counted;
};

static inline co4_case *co4__case_of(co4_listener *l)
{
    return (co4_case *)(void *)((char *)l - offsetof(co4_case, co4_private.listener));
}

/* The result of an await that has selected its one case with this result. */
static inline int co4__code_of_one(const co4_case *one, int result)
{
    return result < 0 && result != CO4_ENDED(0) ? result : one->code;
}

/* Called first, so that the end function may be called at any time. */
static inline void co4__selecting_init(struct co4__selecting *s)
{
    s->added = s->count = 0;
    s->counted = NULL;
    s->again = false;
}

/* Sets the codes of the cases of a select that does not begin. */
void co4__selecting_refuse(co4_case *cases, int count);
/* Called once, and after each drop while co4__selecting_again() is true. */
int co4__selecting_begin(struct co4__selecting *s, co4_case *cases, int count, int flags);
/* Returns `chosen`; CO4_EEMPTY; CO4_ENOMEM; CO4_ETIMEDOUT when it looks again after the deadline.
 * Ends a notification. */
int co4__selecting_poll(struct co4__selecting *s, int64_t deadline);
int co4__selecting_add(struct co4__selecting *s);
/* Removes the listeners from their sources; the cases belong to the caller again. May be called
 * more than once. */
void co4__selecting_drop(struct co4__selecting *s);
/* The same, and ends a notification. */
void co4__selecting_end(struct co4__selecting *s);
/* Called when the wait is over, after the drop. Returns whether the select was notified, and looks
 * again. */
bool co4__selecting_again(struct co4__selecting *s);
/* A select that does not wait; co4__select_block(): one for which the thread waits. */
int co4__select_now(co4_case *cases, int count, int flags);
int co4__select_block(co4_case *cases, int count, int flags, int64_t deadline);

/* The code with which a pausing call ends that has not waited. It counts as an operation. In plain
 * builds no other task waits for its turn. */
#ifdef CO4_PLAIN
#define co4__spent(code) (code)
#else
pausable int co4__spent(int code);
#endif
/* Returns CO4_ESTATE or CO4_ECANCELED if the task may not wait here. Counts as an operation: the
 * task yields when the step's budget is spent. */
pausable int co4__may_wait(void);
/* The rest of co4_select_until(), when no case was ready. */
CO4__OWN pausable int co4__select_wait(co4_case *cases, int count, int flags, int64_t deadline);
/* Does not pause; it is pausable to get the fiber. From here on the task waits, in no wait queue,
 * and sources may claim it. CO4_OK, also when it has been cancelled: then park returns the code.
 * CO4_ENOMEM: the task does not wait. `waiter`: the task. */
pausable int co4__park_begin(int64_t deadline, struct co4__waiter **waiter);
/* Pauses until the thread that claims the task wakes it. */
pausable int co4__park(void);

/* timer_source.c: for struct co4__wait_hooks. The deadline of a listener at a timer has come. */
void co4__timer_source_due(struct co4__timer *n, int64_t now);

#endif
