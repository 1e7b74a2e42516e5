/* runtime_id.h - which runtime a task belongs to. Any thread may call each function. */
#ifndef CO4_RUNTIME_ID_INTERNAL_H
#define CO4_RUNTIME_ID_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "platform/fork.h"

/* Runtimes and calls of co4_run that there may be at a time, and one. Untouched pages of the table
 * take no memory; where there may be no such thing as a page, there is but one thread, too. */
#ifdef CO4__NO_THREADS
#define CO4__RUNTIME_IDS 1024
#else
#define CO4__RUNTIME_IDS 65536
#endif
extern CO4__OWN _Atomic(uintptr_t) co4__runtimes_by_id[CO4__RUNTIME_IDS];

/* CO4_ENOMEM: there is no number left. */
int co4__runtime_id_take(co4_runtime *rt, uint16_t *number);
void co4__runtime_id_release(uint16_t number);

/* Atomic, though the fiber, which woven code knows, cannot say so. */
static inline unsigned co4__runtime_id_of(const co4_task *t)
{
    return __atomic_load_n(&t->fiber.runtime_id, __ATOMIC_RELAXED);
}

static inline void co4__set_runtime_id(co4_task *t, unsigned runtime_id)
{
    __atomic_store_n(&t->fiber.runtime_id, (unsigned short)runtime_id, __ATOMIC_RELAXED);
}

/* NULL: it has not been scheduled, or is gone. */
static inline co4_runtime *co4__runtime_of(const co4_task *t)
{
    uintptr_t rt = atomic_load_explicit(&co4__runtimes_by_id[co4__runtime_id_of(t)],
                                        memory_order_acquire);
    if (CO4__UNLIKELY((rt & 1) != 0))
        return NULL;
    return (co4_runtime *)rt; // NOLINT(performance-no-int-to-ptr)
}

co4__fork_handler co4__runtime_id_fork;

#endif
