/* lock.h - a spin lock of four bytes, and sections that need none. docs/architecture.md has the
 * order of all locks. */
#ifndef CO4_LOCK_INTERNAL_H
#define CO4_LOCK_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "platform/exclusive.h"
#include "platform/thread.h"

/* A lock of four bytes for sections of a few instructions: programs have many mailboxes, which must
 * be small. A waiter spins a little, then yields its processor. */
typedef struct co4__lock {
    atomic_uint held;
} co4__lock;

CO4__PRIVATE void co4__lock_wait(co4__lock *l);

/* tests/scaling counts by these calls whether this thread holds a lock. Otherwise they do
 * nothing. */
#ifdef CO4__COUNTS_LOCKS
void co4__lock_taken(void);
void co4__lock_given(void);
#else
static inline void co4__lock_taken(void) {}
static inline void co4__lock_given(void) {}
#endif

/* Hints to the processor that the thread waits for a change of memory. */
static inline void co4__spin_pause(void)
{
#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#endif
}

static inline bool co4__try_lock(co4__lock *l)
{
    unsigned free = 0;
    /* Stronger than acquire: the load of co4__exclusive_owner must not come before it. */
    bool taken = atomic_compare_exchange_strong_explicit(&l->held, &free, 1, memory_order_seq_cst,
                                                         memory_order_relaxed);
    if (taken)
        co4__lock_taken();
    return taken;
}

static inline void co4__lock_take(co4__lock *l)
{
    if (CO4__UNLIKELY(!co4__try_lock(l)))
        co4__lock_wait(l);
    co4__sections_stop();
}

static inline void co4__lock_give(co4__lock *l)
{
    atomic_store_explicit(&l->held, 0, memory_order_release); /* pairs with the acquire above */
    co4__lock_given();
}

/* ---- sections ---- */

/* Like co4__section_begin(), for objects that l guards. A thread that took it earlier may still
 * hold it. */
static CO4__ALWAYS_INLINE enum co4__mode co4__section_begin_at(struct co4__local *here,
                                                               co4__lock *l)
{
    /* Sequentially consistent (exclusive.c). */
    return co4__section_begin(here) == CO4__LOCKLESS && CO4__LIKELY(atomic_load(&l->held) == 0)
               ? CO4__LOCKLESS
               : CO4__LOCKED;
}

/* ---- waiting for a lock ---- */

/* Releases the lock for a moment, and takes it again. A waiter can take it meanwhile. */
void co4__lock_yield(co4__lock *l);

/* The iterations for which a yielded lock stays free. A waiter sees that within this time. */
#define CO4__LOOKS 16
void co4__spin(int looks);

#endif
