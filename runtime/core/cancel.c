/* cancel.c - cancelling a task, and shields against it.
 *
 * Invariants: a cancellation is sticky: `cancel` keeps the first reason.
 *
 * Concurrency: the canceller sets `cancel`, then tries the claim. The task queues itself; then its
 * worker reads `cancel` in the same atomic update that makes the task PAUSED (co4__task_waits). If
 * that update reads the reason, the task does not pause. Otherwise `cancel` is set after the
 * update. The canceller then sees all that precedes the update, so it finds the task queued and
 * claims it. So no cancelled task stays in a wait queue. */
#include "core/cancel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/code.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "platform/thread.h"

bool co4__cancel_keep(co4_task *t, int reason)
{
    int8_t none = 0, byte = co4__code_pack(reason);
    if (!atomic_compare_exchange_strong(&t->cancel, &none, byte))
        return false;
    if (byte == CO4__CODE_ELSEWHERE)
        co4__extension_of(t)->reason = reason;
    return true;
}

static bool keep(co4_task *t, int reason)
{
    if (co4__code_pack(reason) != CO4__CODE_ELSEWHERE)
        return co4__cancel_keep(t, reason);
    struct co4__task_extension *x = co4__extension_of(t);
    co4__lock_take(&x->cancelling);
    bool kept = co4__cancel_keep(t, reason);
    co4__lock_give(&x->cancelling);
    return kept;
}

int co4_task_cancel(co4_task *task, int reason)
{
    if (!task)
        return CO4_EINVAL;
    if (co4_task_state_of(task) == CO4_TASK_STOPPED)
        return CO4_ESTATE;
    int err = CO4_OK;
    bool kept;
    reason = co4__cancel_reason(reason);
    if (co4__code_pack(reason) == CO4__CODE_ELSEWHERE && !co4__extension_make(task)) {
        reason = CO4_ECANCELED; /* the task is cancelled without the reason */
        err = CO4_ENOMEM;
    }
    /* The first reason stays; a later call only ends the task's wait. If neither the task nor its
     * scope keeps the reason, `cancel` may be 0 again: the body of a scope has returned. */
    do
        kept = keep(task, reason) ||
               (co4__task_hooks.keeps_reason && co4__task_hooks.keeps_reason(task, reason));
    while (!kept && atomic_load(&task->cancel) == 0);
    if (co4__cancel_wait(task))
        co4__wait_hooks.wake(&task->waiter);
    return err;
}

void co4__cut(co4_task *t)
{
    int8_t none = 0;
    atomic_compare_exchange_strong(&t->cancel, &none, CO4__CODE_CUT);
    if (co4__cancel_wait(t))
        co4__wait_hooks.wake(&t->waiter);
}

int co4_task_cancelled(const co4_task *task)
{
    co4_task *t = (co4_task *)(uintptr_t)task;
    int8_t byte = t ? atomic_load_explicit(&t->cancel, memory_order_acquire) : 0;
    if (byte == CO4__CODE_CUT)
        return CO4_ECANCELED;
    if (byte != CO4__CODE_ELSEWHERE)
        return co4__code_unpack(byte);
    struct co4__task_extension *x = co4__extension_of(t);
    co4__lock_take(&x->cancelling);
    int reason = x->reason;
    co4__lock_give(&x->cancelling);
    return reason;
}

int co4_shield_begin(void)
{
    co4_task *t = co4__local()->current;
    if (!t)
        return CO4_ESTATE;
    if (t->fiber.shields == UINT8_MAX)
        return CO4_EFULL;
    t->fiber.shields++;
    return CO4_OK;
}

int co4_shield_end(void)
{
    co4_task *t = co4__local()->current;
    if (!t || t->fiber.shields == 0)
        return CO4_ESTATE;
    t->fiber.shields--;
    return CO4_OK;
}
