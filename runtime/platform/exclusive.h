/* exclusive.h - sections of the exclusive owner, which works without atomic updates until another
 * thread revokes the ownership. exclusive.c explains the protocol. */
#ifndef CO4_EXCLUSIVE_INTERNAL_H
#define CO4_EXCLUSIVE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "platform/fork.h"
#include "platform/thread.h"

#ifdef CO4__NO_THREADS

static inline bool co4__exclusive_begin(struct co4__local *here)
{
    (void)here;
    return true;
}

static inline void co4__exclusive_end(struct co4__local *here)
{
    (void)here;
}

static inline void co4__exclusive_revoke(void) {}
static inline void co4__external_begin(void) {}
static inline void co4__external_end(void) {}
static inline void co4__exclusive_leave(void) {}
static inline bool co4__exclusive_may_try(void)
{
    return false;
}

static inline void co4__exclusive_prepare(void) {}
static inline void co4__exclusive_try(void) {}

#else

/* NULL: no thread is the owner. */
#ifndef CO4__OTHER_LIBRARY
extern CO4__OWN _Atomic(struct co4__local *) co4__exclusive_owner;
#else /* the same variable, whose address is loaded */
extern _Atomic(struct co4__local *) co4__exclusive_owner_outside;
#define co4__exclusive_owner co4__exclusive_owner_outside
#endif
/* Threads between external_begin and external_end. */
extern CO4__OWN atomic_uint co4__externals;
/* The pause after a revocation without an owner, in multiples of its duration. Tests set it to
 * 0. */
extern int64_t co4__exclusive_patience;

/* Ends the ownership of another thread. */
CO4__PRIVATE void co4__exclusive_revoke_owner(void);

/* Begins a section. True: this thread is the owner, and no other thread sees the section's stores
 * half done before co4__exclusive_end(). A section takes no lock and never waits. */
static inline bool co4__exclusive_begin(struct co4__local *here)
{
    atomic_store_explicit(&here->exclusive.in_section, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the revoker's membarrier() makes it a fence */
    if (CO4__LIKELY(atomic_load_explicit(&here->exclusive.is_owner, memory_order_relaxed)))
        return true;
    atomic_store_explicit(&here->exclusive.in_section, false, memory_order_relaxed);
    return false;
}

static inline void co4__exclusive_end(struct co4__local *here)
{
    atomic_store_explicit(&here->exclusive.in_section, false,
                          memory_order_release); /* pairs with co4__exclusive_revoke_owner */
}

/* This thread has just taken a lock. On return no other thread is the owner. */
static inline void co4__exclusive_revoke(void)
{
    const struct co4__local *owner = atomic_load(&co4__exclusive_owner);
    if (CO4__UNLIKELY(owner != NULL) && owner != co4__local())
        co4__exclusive_revoke_owner();
}

/* The caller is about to claim a task without the lock of a wait queue. No other thread is the
 * owner until co4__external_end(). */
static inline void co4__external_begin(void)
{
    atomic_fetch_add(&co4__externals, 1);
    co4__exclusive_revoke();
}

static inline void co4__external_end(void)
{
    atomic_fetch_sub_explicit(&co4__externals, 1, memory_order_release);
}

/* Returns whether there is no owner. */
static inline bool co4__exclusive_may_try(void)
{
    return atomic_load_explicit(&co4__exclusive_owner, memory_order_relaxed) == NULL;
}

/* Does what takes long once there are threads. */
void co4__exclusive_prepare(void);
/* This thread is in no step, and all other workers sleep. It may become the owner. */
void co4__exclusive_try(void);
/* This thread ends, or drives no worker any more. It gives up the ownership. */
void co4__exclusive_leave(void);

#endif

co4__fork_handler co4__exclusive_fork;

#endif
