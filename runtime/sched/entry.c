/* entry.c - the functions that woven code calls for co4_spawn, co4_runtime_spawn and
 * co4_task_create.
 *
 * The call site takes a call frame, stores the arguments after its head, and passes it here. The
 * frame is the leaf of the new fiber. The first step resumes it like any other frame, and it starts
 * the function. So a task consists of two pool objects, and no code of it runs before its first
 * step.
 *
 * If any allocation fails, the call frame is freed, NULL is returned, and nothing has run. */
#include <stdatomic.h>
#include <stddef.h>

#include "base/asan.h"
#include "base/public.h"
#include "core/call.h"
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

void *co4_abi_take_call(const co4_abi_func *func)
{
    co4_frame *f = co4__pool_take_frame(func);
    if (!f)
        return NULL;
    f->caller = NULL;
    f->at = co4_abi_points_of(func);
    return f;
}

static co4_task *task_from_call(co4_frame *call, uint32_t refs)
{
    co4_task *t = co4__task_create(call, refs);
    if (!t)
        co4__call_drop(call);
    return t;
}

static co4_task *spawn(co4_runtime *rt, void *call, uint32_t refs)
{
    if (!call)
        return NULL;
    if (rt ? !co4__runtime_may_enter(rt) : !(rt = co4__runtime_here())) {
        co4__call_drop(call);
        return NULL;
    }
    co4_task *t = task_from_call(call, refs);
    if (t) {
        /* No other thread knows the task yet, so the event needs no atomic update. One reference
         * is the runtime's. */
        atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
        co4__runtime_enter(rt, t);
    }
    return t;
}

co4_task *co4_abi_spawn(co4_runtime *rt, void *call)
{
    return spawn(rt, call, 1);
}

co4_task *co4_abi_start(co4_runtime *rt, void *call)
{
    return spawn(rt, call, 2);
}

co4_task *co4_abi_task(void *call)
{
    return call ? task_from_call(call, 1) : NULL;
}

#if defined(__wasm__) && (!defined(__EMSCRIPTEN__) || defined(CO4__SMALL))
/* No JavaScript drives this library: sched/host.c. */
co4_fiber *co4_abi_host_begin(const char *name)
{
    (void)name;
    return co4_abi_run_begin();
}

int co4_abi_host_drive(co4_fiber *co4, const char *name, int kind)
{
    (void)name, (void)kind;
    return co4_abi_run_drive(co4);
}

void co4_abi_host_end(co4_fiber *co4)
{
    co4_abi_run_end(co4);
}
#endif
