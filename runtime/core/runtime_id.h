/* runtime_id.h - the runtime of a task. All functions are thread-safe. */
#ifndef CO4_RUNTIME_ID_INTERNAL_H
#define CO4_RUNTIME_ID_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "base/words.h"
#include "core/task.h"
#include "platform/fork.h"

/* The number of entries. One less is the limit for runtimes and calls of co4_run at a time, as 0 is
 * no id; a thread that has ended one of them keeps a number. */
#define CO4__RUNTIME_IDS CO4__WORDS
extern CO4__OWN struct co4__words co4__runtimes_by_id;

/* Returns CO4_OK, or CO4_ENOMEM if all numbers are in use. */
int co4__runtime_id_take(co4_runtime *rt, uint16_t *number);
void co4__runtime_id_release(uint16_t number);
void co4__runtime_id_thread_exit(void);

/* An atomic access. The field's type is not atomic, since woven code declares the fiber, too. */
static inline unsigned co4__runtime_id_of(const co4_task *t)
{
    return __atomic_load_n(&t->fiber.runtime_id, __ATOMIC_RELAXED);
}

static inline void co4__set_runtime_id(co4_task *t, unsigned runtime_id)
{
    __atomic_store_n(&t->fiber.runtime_id, (unsigned short)runtime_id, __ATOMIC_RELAXED);
}

/* NULL: the task has not been scheduled, or its runtime does not exist any more. */
static inline co4_runtime *co4__runtime_of(const co4_task *t)
{
    /* An id may be seen before the segment with its entry, by a thread that does not own the
     * task. */
    _Atomic(uintptr_t) *entry = co4__words_at(&co4__runtimes_by_id, co4__runtime_id_of(t));
    uintptr_t rt = entry ? atomic_load_explicit(entry, memory_order_acquire) : 0;
    if (CO4__UNLIKELY((rt & 1) != 0))
        return NULL;
    return (co4_runtime *)rt; // NOLINT(performance-no-int-to-ptr)
}

co4__fork_handler co4__runtime_id_fork;

#endif
