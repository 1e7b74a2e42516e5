/* pending.h - signals that are pending for a thread that is a task: pending.c explains them. */
#ifndef CO4_POSIX_PENDING_H
#define CO4_POSIX_PENDING_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/inside.h"
#include "base/public.h"
#include "platform/lock.h"
#include "platform/thread.h"

struct co4__signal {
    struct co4__signal *next;
    siginfo_t info;
};

struct co4__signals {
    struct co4__signal *first, **end;
};

/* All zero: none. Written under a lock of the owner, by co4__pending_lock(). */
struct co4__pending {
    _Atomic uint64_t set;
    struct co4__signals waiting; /* of each of the set; of a standard one perhaps none */
};

static inline uint64_t co4__signal_bit(int signo)
{
    return (uint64_t)1 << (signo - 1);
}

/* The system's set is the first word of the C library's. */
static inline uint64_t co4__signal_word(const sigset_t *set)
{
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

static inline sigset_t co4__signal_set(uint64_t word)
{
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, &word, sizeof word);
    return set;
}

static inline uint64_t co4__pending_set(const struct co4__pending *p)
{
    return atomic_load(&((struct co4__pending *)(uintptr_t)p)->set);
}

/* Not co4__lock_take(), which may have to stop a section that the handler has interrupted. */
static inline void co4__pending_lock(co4__lock *lock)
{
    co4__inside_begin();
    for (unsigned tries = 0; !co4__try_lock(lock); tries++)
        co4__back_off(tries);
}

static inline void co4__pending_unlock(co4__lock *lock)
{
    co4__lock_give(lock);
    co4__inside_end();
}

/* What a handler is given: `value` may be NULL. */
CO4__OWN siginfo_t co4__signal_info(int signo, int code, const union sigval *value);

/* Under the owner's lock, as the next one. As in Linux, a standard signal that is pending already
 * is merged, and needs no memory; one of real time does. Returns 0, or EAGAIN. */
CO4__OWN int co4__pending_add(struct co4__pending *p, const siginfo_t *info);
/* Takes those of the set out; all of them, or one of the lowest signal. Returns which, and those
 * that have more to say in `out`, which the caller frees without the lock. */
CO4__OWN uint64_t co4__pending_take(struct co4__pending *p, uint64_t set, bool one,
                                    struct co4__signals *out);
CO4__OWN void co4__signals_free(const struct co4__signals *list);

/* Around a fork. In the child, what the parent's tasks had is lost. */
CO4__OWN void co4__pending_fork_begin(void);
CO4__OWN void co4__pending_fork_end(void);
CO4__OWN void co4__pending_forget(struct co4__pending *p);

#endif
