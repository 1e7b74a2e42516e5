/* task.c - the states of a task, its references, and the waiters for its end.
 *
 * States. A step is the work between two pauses; one thread runs it. After a primitive has queued a
 * task, its wake may come at any time, also while the step still unwinds and its frames are half
 * saved. The wake must not be lost, and must not let another thread run the task. So it changes
 * RUNNING to WOKEN. Once the frames are saved, the worker finds WOKEN instead of RUNNING and makes
 * the task ready itself. Model: tests/model/park.pml.
 *
 * Concurrency: exactly one wake comes for each wait. The thread that claims the task (wait.c) owns
 * its wake. So no other thread changes the state in READY, and STEP and YIELD are plain stores.
 * WAIT and WAKE race and are one read-modify-write each. A WAKE that finds PAUSED is a store, too,
 * since WAIT is done and no other WAKE can come. The acquire of WAKE pairs with the release of
 * WAIT: the waker sees the saved frames before it makes the task ready. WAIT also reads `cancel` in
 * the same update (cancel.c). The exclusive owner does WAIT and END by plain stores (exclusive.c).
 *
 * References. `refs` counts them. The runtime has one from SCHEDULE to END. The handle of co4_spawn
 * is not counted: otherwise each spawn that ignores its result would be a leak. co4_task_create
 * returns a counted one.
 *
 * A task becomes ENDED before its end is counted (runtime.c), and STOPPED after that. So an empty
 * runtime has only tasks that have ended, and a joiner finds the task counted. co4_task_state_of()
 * waits for the few instructions between the two states. */
#include "core/task.h"

#include <stdlib.h>
#include <string.h>

#include "core/caller.h"
#include "core/fiber.h"
#include "core/result.h"
#include "core/runtime_id.h"
#include "core/task_extension.h"
#include "core/task_pool.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* ORDER state, event. A transition that cannot happen keeps the state. */
/* clang-format off */
#define ROW(state, schedule, step, wake, wait, yield, end)                                         \
    [CO4__##state] = { CO4__##schedule, CO4__##step,  CO4__##wake,                                 \
                       CO4__##wait,     CO4__##yield, CO4__##end }
static const uint8_t next_state[7][6] = {
    /*  state     SCHEDULE  STEP      WAKE      WAIT      YIELD     END */
    ROW(NEW,      READY,    NEW,      NEW,      NEW,      NEW,      STOPPED),
    ROW(READY,    READY,    RUNNING,  READY,    READY,    READY,    STOPPED),
    ROW(RUNNING,  RUNNING,  RUNNING,  WOKEN,    PAUSED,   READY,    STOPPED),
    ROW(WOKEN,    WOKEN,    WOKEN,    WOKEN,    READY,    READY,    STOPPED),
    ROW(PAUSED,   PAUSED,   PAUSED,   READY,    PAUSED,   PAUSED,   STOPPED),
    ROW(STOPPED,  STOPPED,  STOPPED,  STOPPED,  STOPPED,  STOPPED,  STOPPED),
    ROW(ENDED,    ENDED,    ENDED,    ENDED,    ENDED,    ENDED,    STOPPED),
};
#undef ROW
/* clang-format on */

enum co4__state co4__task_event(co4_task *t, enum co4__event ev)
{
    uint8_t old = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (ev == CO4__STEP || ev == CO4__YIELD) {
        atomic_store_explicit(&t->state, next_state[old][ev], memory_order_relaxed);
        return old;
    }
    while (!atomic_compare_exchange_weak_explicit(&t->state, &old, next_state[old][ev],
                                                  memory_order_seq_cst, memory_order_relaxed))
        ;
    return old;
}

const char *co4_task_state_name(co4_task_state state)
{
    static const char *const names[] = { "ready", "running", "paused", "stopped" };
    return (unsigned)state < 4 ? names[state] : "?";
}

co4_task_state co4_task_state_of(const co4_task *task)
{
    /* ORDER state */
    static const co4_task_state shown[] = { CO4_TASK_READY,   CO4_TASK_READY,  CO4_TASK_RUNNING,
                                            CO4_TASK_RUNNING, CO4_TASK_PAUSED, CO4_TASK_STOPPED };
    co4_task *t = (co4_task *)(uintptr_t)task;
    if (!task)
        return CO4_TASK_STOPPED;
    uint8_t state = atomic_load_explicit(&t->state, memory_order_acquire);
    for (unsigned tries = 0; CO4__UNLIKELY(state == CO4__ENDED); tries++) {
        co4__back_off(tries);
        state = atomic_load_explicit(&t->state, memory_order_acquire);
    }
    return shown[state];
}

int co4_task_error(const co4_task *task)
{
    if (!task)
        return CO4_EINVAL;
    return co4_task_state_of(task) == CO4_TASK_STOPPED ? co4__task_error(task) : CO4_EBUSY;
}

co4_task *co4_self(void)
{
    struct co4__local *here = co4__local();
    CO4__RUNS_LOOK(here);
    return here->current;
}

/* ---- references ---- */

static inline co4_task *create(uint8_t kind, co4_frame *call, uint32_t refs)
{
    co4_task *t = co4__task_take();
    if (!t)
        return NULL;
    t->fiber.pausing = CO4_ABI_RUNNING;
    t->fiber.kind = kind;
    t->fiber.shields = 0;
    t->fiber.error = CO4_OK;
    t->fiber.leaf = call;
    t->fiber.last = NULL;
    co4__set_runtime_id(t, 0);
    /* Release: a thread that reads this value sees that the memory is a new task's (run.c). */
    atomic_store_explicit(&t->state, CO4__NEW, memory_order_release);
    atomic_store_explicit(&t->waiter.claim, CO4__WAIT_NONE, memory_order_relaxed);
    atomic_store_explicit(&t->cancel, 0, memory_order_relaxed);
    atomic_store_explicit(&t->extension, NULL, memory_order_relaxed);
    t->waiter.kind = CO4__WAITER_TASK;
    atomic_store_explicit(&t->refs, refs, memory_order_relaxed);
    return t;
}

co4_task *co4__task_create(co4_frame *call, uint32_t refs)
{
    co4_task *t = create(co4__kind_of(call), call, refs);
    if (CO4__LIKELY(t != NULL))
        call->caller = NULL;
    return t;
}

#ifdef __EMSCRIPTEN__
co4_task *co4__task_create_bare(uint8_t kind, uint32_t refs)
{
    return create(kind, NULL, refs);
}
#endif

co4_task *co4_task_retain(co4_task *task)
{
    if (task)
        atomic_fetch_add_explicit(&task->refs, 1, memory_order_relaxed);
    return task;
}

bool co4__task_try_retain(co4_task *t)
{
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_relaxed);
    while ((refs & CO4__REFS) != 0)
        if (atomic_compare_exchange_weak_explicit(&t->refs, &refs, refs + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

void co4__task_unref(co4_task *t)
{
    /* The last reference needs no atomic update, unless other threads may find the task by
     * co4__task_try_retain(). If there are several, each release orders its thread's writes before
     * the last one. */
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_acquire) & CO4__REFS;
    if (CO4__UNLIKELY(refs != 1 || co4__extension_of(t))) {
        if (refs == 0) {
            co4__misuse("a task was joined or released once too often");
            abort();
        }
        if ((atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) & CO4__REFS) != 1)
            return;
    }
    if (CO4__UNLIKELY(t->fiber.leaf != NULL)) /* it was never scheduled, or has a wide result */
        co4__fiber_drop_chain(&t->fiber);
    if (CO4__UNLIKELY(co4__extension_of(t) != NULL))
        co4__extension_free(t);
    co4__task_drop(t);
}

void co4_task_release(co4_task *task)
{
    if (task && task->fiber.kind != CO4__KIND_RUN)
        co4__task_unref(task);
}

/* ---- yield ---- */

int co4_yield__co4(co4_fiber *co4)
{
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    co4->result.i = co4__is_cancelled(co4__task_of(co4)) ? CO4_ECANCELED : CO4_OK;
    co4_abi_pause(co4, CO4_ABI_READY);
    return co4->result.i;
}
