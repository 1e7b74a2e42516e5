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

/* While all other threads sleep, one thread may do without atomic updates. It does so in
 * *sections*. An operation that runs in both modes is written once, with the mode as a constant. */
enum co4__mode {
    CO4__LOCKED,  /* other threads may access the objects, as far as no lock excludes them */
    CO4__LOCKLESS /* in a section: no other thread accesses the objects before its end */
};

#ifdef CO4__NO_THREADS

static inline enum co4__mode co4__section_begin(struct co4__local *here)
{
    (void)here;
    return CO4__LOCKLESS;
}

static inline void co4__section_end(struct co4__local *here)
{
    (void)here;
}

static inline void co4__sections_stop(void) {}
static inline void co4__claims_begin(void) {}
static inline void co4__claims_end(void) {}
static inline void co4__sections_release(void) {}
static inline bool co4__sections_are_free(void)
{
    return false;
}

static inline void co4__sections_prepare(void) {}
static inline void co4__sections_acquire(void) {}

#else

/* NULL: no thread is the owner. */
#ifndef CO4__OTHER_LIBRARY
extern CO4__OWN _Atomic(struct co4__local *) co4__exclusive_owner;
#else /* the same variable, whose address is loaded */
extern _Atomic(struct co4__local *) co4__exclusive_owner_outside;
#define co4__exclusive_owner co4__exclusive_owner_outside
#endif
/* Threads between claims_begin and claims_end. */
extern CO4__OWN atomic_uint co4__externals;
/* The pause after a revocation without an owner, in multiples of its duration. Tests set it to
 * 0. */
extern int64_t co4__exclusive_patience;

/* Ends the ownership of another thread. */
CO4__PRIVATE void co4__exclusive_revoke_owner(void);

/* Begins a section, if this thread is the owner: then no other thread sees the section's stores
 * half done before co4__section_end(). A section takes no lock and never waits. The caller ends it
 * in either mode. */
static CO4__ALWAYS_INLINE enum co4__mode co4__section_begin(struct co4__local *here)
{
    atomic_store_explicit(&here->exclusive.in_section, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the revoker's membarrier() makes it a fence */
    if (CO4__LIKELY(atomic_load_explicit(&here->exclusive.is_owner, memory_order_relaxed)))
        return CO4__LOCKLESS;
    atomic_store_explicit(&here->exclusive.in_section, false, memory_order_relaxed);
    return CO4__LOCKED;
}

static CO4__ALWAYS_INLINE void co4__section_end(struct co4__local *here)
{
    atomic_store_explicit(&here->exclusive.in_section, false,
                          memory_order_release); /* pairs with co4__exclusive_revoke_owner */
}

/* This thread has just taken a lock, or has claimed a task under a lock that is not the library's.
 * On return no other thread may begin sections. */
static inline void co4__sections_stop(void)
{
    const struct co4__local *owner = atomic_load(&co4__exclusive_owner);
    if (CO4__UNLIKELY(owner != NULL) && owner != co4__local())
        co4__exclusive_revoke_owner();
}

/* Between the two, no other thread is in a section. So this thread may claim tasks without the lock
 * of a wait queue. */
static inline void co4__claims_begin(void)
{
    atomic_fetch_add(&co4__externals, 1);
    co4__sections_stop();
}

static inline void co4__claims_end(void)
{
    atomic_fetch_sub_explicit(&co4__externals, 1, memory_order_release);
}

/* Returns whether no thread may begin sections. */
static inline bool co4__sections_are_free(void)
{
    return atomic_load_explicit(&co4__exclusive_owner, memory_order_relaxed) == NULL;
}

/* Called before the first thread begins: prepares what would take long once there are several. */
void co4__sections_prepare(void);
/* This thread is in no step, and all other workers sleep: from now on it may begin sections. */
void co4__sections_acquire(void);
/* This thread ends, or drives no worker any more: it begins no section. */
void co4__sections_release(void);

#endif

co4__fork_handler co4__exclusive_fork;

#endif
