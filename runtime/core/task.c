/* task.c - what a task is to the scheduler: a state, its owners, and those who wait for its end.
 *
 * States and events. A step is what happens between two pauses; it belongs to one thread. The wake
 * of a task that waits may come at any time after the primitive has listed it, also while the step
 * is still unwinding and its frames are half saved. Such a wake must neither be lost nor let
 * another thread in: it turns RUNNING into WOKEN, and the worker, once the frames are saved, finds
 * WOKEN in place of RUNNING and queues the task itself. Model: tests/model/park.pml.
 *
 * Exactly one wake comes for each wait: the thread that claims the task (wait.c) owns its wake.
 * Hence in READY no other thread touches the state, and STEP and GIVE_WAY are plain stores; WAIT
 * and WAKE race with each other and are one read-modify-write each, but for a WAKE that finds
 * PAUSED: WAIT has been, and there is no other WAKE, so it is a store, too. WAKE's acquire pairs
 * with WAIT's release: the waker sees the saved frames before it hands the task on.
 *
 * WAIT also reads `cancel`, in the same update: see wait.c. The exclusive owner does WAIT and
 * END by plain stores: see exclusive.c.
 *
 * Owners. `refs` counts them; the runtime is one from SCHEDULE to END. co4_spawn's handle is not.
 * Why: counting it would make every spawn that ignores its result a leak. co4_task_create gives a
 * counted one.
 *
 * ENDED comes before the end is counted (runtime.c), STOPPED after it. So a runtime that is found
 * empty has only tasks that have ended, and what has joined a task finds it counted.
 * co4_task_state_of() waits for the few instructions between the two: with ENDED alone it could not
 * say whether the runtime counts the task still. */
#include "core/task.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "co4/sanitizer.h"
#include "core/caller.h"
#include "core/fiber.h"
#include "core/runtime_id.h"
#include "core/task_extension.h"
#include "core/task_pool.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* ORDER state, event. A transition that cannot happen leaves the state as it is. */
/* clang-format off */
#define ROW(state, schedule, step, wake, wait, give_way, end)                                      \
    [CO4__##state] = { CO4__##schedule, CO4__##step,     CO4__##wake,                              \
                       CO4__##wait,     CO4__##give_way, CO4__##end }
static const uint8_t next_state[7][6] = {
    /*  state     SCHEDULE  STEP      WAKE      WAIT      GIVE_WAY  END */
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
    if (ev == CO4__STEP || ev == CO4__GIVE_WAY) {
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

/* ---- misuse ---- */

void co4__misuse(const char *what)
{
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: ");
    co4__put(&text, what);
    co4__put(&text, "\n");
    co4__text_end(&text);
    if (CO4_SANITIZED || co4__local()->simulation)
        abort();
}

/* ---- owners ---- */

co4_task *co4__task_create(co4_frame *call, uint32_t refs)
{
    co4_task *t = co4__task_take();
    if (!t)
        return NULL;
    t->fiber.pausing = CO4_ABI_RUNNING;
    t->fiber.kind = co4__is_wide(call) ? CO4__KIND_WIDE : CO4_ABI_KIND_TASK;
    t->fiber.leaf = call;
    t->fiber.last = NULL;
    call->caller = NULL;
    co4__set_runtime_id(t, 0);
    /* Release: who sees this sees that it is no longer the task that had the memory before
     * (run.c). */
    atomic_store_explicit(&t->state, CO4__NEW, memory_order_release);
    atomic_store_explicit(&t->wait, CO4__WAIT_NONE, memory_order_relaxed);
    atomic_store_explicit(&t->cancel, 0, memory_order_relaxed);
    atomic_store_explicit(&t->extension, NULL, memory_order_relaxed);
    t->fiber.shields = 0;
    t->error = CO4_OK;
    atomic_store_explicit(&t->refs, refs, memory_order_relaxed);
    return t;
}

co4_task *co4_task_retain(co4_task *task)
{
    if (task)
        atomic_fetch_add_explicit(&task->refs, 1, memory_order_relaxed);
    return task;
}

bool co4__task_try_retain(co4_task *t)
{
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_relaxed);
    while ((refs & ~CO4__JOINED) != 0)
        if (atomic_compare_exchange_weak_explicit(&t->refs, &refs, refs + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

void co4__task_unref(co4_task *t)
{
    /* The last owner need not tell anyone, unless others may look for the task
     * (co4__task_try_retain); one of several releases its writes to the last. */
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_acquire) & ~CO4__JOINED;
    if (CO4__UNLIKELY(refs != 1 || co4__extension_of(t))) {
        if (refs == 0) {
            co4__misuse("co4_task_release: nobody owns this task any more");
            abort();
        }
        if ((atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) & ~CO4__JOINED) != 1)
            return;
    }
    co4__fiber_drop_chain(&t->fiber); /* of a task that was never scheduled */
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
