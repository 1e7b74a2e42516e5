/* alone.h - the one thread that does without atomic updates, as long as no other thread has to do
 * with what it touches. The story is in alone.c. */
#ifndef CO4_ALONE_INTERNAL_H
#define CO4_ALONE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "platform/fork.h"
#include "platform/thread.h"

#ifdef CO4__NO_THREADS

static inline bool co4__alone_begin(struct co4__local *here)
{
    (void)here;
    return true;
}

static inline void co4__alone_done(struct co4__local *here)
{
    (void)here;
}

static inline void co4__alone_over(void) {}
static inline void co4__outside_begin(void) {}
static inline void co4__outside_end(void) {}
static inline void co4__alone_leave(void) {}
static inline bool co4__alone_may_try(void)
{
    return false;
}

static inline void co4__alone_try(void) {}

#else

extern CO4__OWN _Atomic(struct co4__local *)
    co4__lone;                              /* whose thread that is; NULL: there is none */
extern CO4__OWN atomic_uint co4__outsiders; /* between outside_begin and outside_end */
/* nobody is for so many times as long as an end has taken; tests set it to 0 */
extern int64_t co4__alone_patience;

void co4__alone_end(void);

/* True: this thread is alone, and what it does until co4__alone_done() nobody sees half done. No
 * lock may be taken, and nothing waited for, in between. */
static inline bool co4__alone_begin(struct co4__local *here)
{
    atomic_store_explicit(&here->inside, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the other side makes it a fence */
    if (CO4__LIKELY(atomic_load_explicit(&here->alone, memory_order_relaxed)))
        return true;
    atomic_store_explicit(&here->inside, false, memory_order_relaxed);
    return false;
}

static inline void co4__alone_done(struct co4__local *here)
{
    atomic_store_explicit(&here->inside, false,
                          memory_order_release); /* pairs with co4__alone_end */
}

/* This thread has just taken a lock: no other is alone. */
static inline void co4__alone_over(void)
{
    const struct co4__local *lone = atomic_load(&co4__lone);
    if (CO4__UNLIKELY(lone != NULL) && lone != co4__local())
        co4__alone_end();
}

/* For what is claimed under no lock of a place: no other thread is alone until outside_end. */
static inline void co4__outside_begin(void)
{
    atomic_fetch_add(&co4__outsiders, 1);
    co4__alone_over();
}

static inline void co4__outside_end(void)
{
    atomic_fetch_sub_explicit(&co4__outsiders, 1, memory_order_release);
}

/* Is no thread alone? */
static inline bool co4__alone_may_try(void)
{
    return atomic_load_explicit(&co4__lone, memory_order_relaxed) == NULL;
}

/* This thread is in no step, and all other workers sleep: it may be alone from here on. */
void co4__alone_try(void);
/* It drives none any more, or ends. */
void co4__alone_leave(void);

#endif

co4__fork_handler co4__alone_fork;

#endif
