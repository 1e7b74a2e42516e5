/* task_record.h - the record of a task, which exists while step hooks are set. */
#ifndef CO4_TASK_RECORD_INTERNAL_H
#define CO4_TASK_RECORD_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"

/* The record of a task. The thread that schedules the task writes it first. Later its worker writes
 * it, before the step is finished. `wakes` is written by the thread that makes the task ready. */
struct co4__task_record {
    uint32_t number;
    uint32_t wakes;
    const char *function; /* the function that it calls */
    /* The call that it waits in, while it is paused; NULL: it has run since. */
    const char *reason;
    int64_t priority;       /* strategy.c; 0: none yet */
    const void *decided_at; /* where its last decision was; NULL: not recorded */
    int64_t since;          /* the time of its last change of state; 0: not recorded */
};

/* NULL: it has no record. */
static inline struct co4__task_record *co4__record_of(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    return x ? atomic_load_explicit(&x->record, memory_order_acquire) : NULL;
}

/* NULL: allocation failed. */
struct co4__task_record *co4__record_make(co4_task *t, const char *function);
int64_t co4__record_clock(const co4_runtime *rt);

CO4__PRIVATE uint32_t co4__record_number(co4_task *t); /* 0: it has no record */
/* Returns the call that a paused task waits in, in the user's deepest function. The caller holds
 * the task, or its step is not finished. */
CO4__PRIVATE const char *co4__record_reason(const co4_task *t);
/* Frees the record of a task. */
void co4__record_free(struct co4__task_extension *x);

#endif
