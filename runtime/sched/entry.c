/* entry.c - what co4_spawn, co4_runtime_spawn and co4_task_create become in woven code.
 *
 * The call site takes a call frame, stores the arguments behind its head and hands it over. The
 * frame is the leaf of the new fiber: the first step resumes it like any other, and it starts the
 * function. So a task is made of two pool objects, and nothing runs before its turn.
 *
 * Whatever cannot be allocated, the call frame is given back, NULL is returned, and nothing has
 * run. */
#include <stdatomic.h>
#include <stddef.h>

#include "base/asan.h"
#include "base/public.h"
#include "core/task.h"
#include "memory/pool.h"
#include "sched/runtime.h"
#include "sched/schedule.h"

#ifdef CO4_ABI_GUARDS
void co4_abi_guard(void *zone, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(zone, bytes);
}
#endif

#ifdef CO4_ABI_SANITIZED
const char CO4_ABI_SANITIZED = 1; /* programs built with this sanitizer refer to it */
#endif

void *co4_abi_call_take(const co4_abi_func *func)
{
    co4_frame *f = co4__pool_take_frame(func);
    if (!f)
        return NULL;
    f->caller = NULL;
    f->at = func->points;
    return f;
}

static co4_task *create(co4_frame *call)
{
    co4_task *t = co4__task_create(call, 1);
    if (!t)
        co4_abi_frame_drop(NULL, call);
    return t;
}

co4_task *co4_abi_spawn(co4_runtime *rt, void *call)
{
    if (!call)
        return NULL;
    if (rt ? !co4__runtime_may_enter(rt) : !(rt = co4__runtime_here())) {
        co4_abi_frame_drop(NULL, call);
        return NULL;
    }
    co4_task *t = create(call);
    if (t) {
        /* Nobody else knows it yet: no need for the event's atomic update. The one share is the
         * runtime's. */
        atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
        co4__runtime_enter(rt, t);
    }
    return t;
}

co4_task *co4_abi_task(void *call)
{
    return call ? create(call) : NULL;
}
