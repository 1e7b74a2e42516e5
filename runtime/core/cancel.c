/* cancel.c - cancelling a task, and shields against it.
 *
 * Cancelling is sticky: `cancel` is set first, then the claim is tried. The task lists itself
 * first, then its worker reads `cancel`, in the update of the two bytes that makes it PAUSED
 * (co4__task_waits). So either that sees the reason, or `cancel` is set after it, and then the
 * canceller sees what came before it, the listing: no cancelled task stays where it waits. */
#include "core/cancel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "platform/exclusive.h"
#include "platform/thread.h"

static bool claim_unshielded(co4_task *t, uint8_t *was)
{
    *was = atomic_load(&t->wait);
    do {
        for (unsigned tries = 0; *was & CO4__BUSY; *was = atomic_load(&t->wait))
            co4__back_off(tries++);
        if (*was == CO4__WAIT_NONE || (*was & CO4__SHIELDED))
            return false;
    } while (!atomic_compare_exchange_weak(&t->wait, was, CO4__WAIT_NONE));
    return true;
}

bool co4__cancel_claim(co4_task *t, uint8_t *was)
{
    co4__external_begin();
    bool ours = claim_unshielded(t, was);
    co4__external_end();
    return ours;
}

void co4__cancel_claimed(co4_task *t, uint8_t was)
{
    t->fiber.result.i = co4__unqueue(t, was) ? CO4_OK : CO4_ECANCELED;
}

bool co4__cancel_wait(co4_task *t)
{
    uint8_t was;
    if (!co4__cancel_claim(t, &was))
        return false;
    co4__cancel_claimed(t, was);
    return true;
}

/* What cannot be kept as a reason does not keep anything from being cancelled. */
int co4__cancel_reason(int *reason)
{
    int err = *reason < INT8_MIN || *reason > INT8_MAX ? CO4_EINVAL : CO4_OK;
    if (err != CO4_OK || *reason == 0)
        *reason = CO4_ECANCELED;
    return err;
}

int co4_task_cancel(co4_task *task, int reason)
{
    int8_t none = 0;
    int err = co4__cancel_reason(&reason);
    if (!task)
        return CO4_EINVAL;
    if (co4_task_state_of(task) == CO4_TASK_STOPPED)
        return CO4_ESTATE;
    /* The first reason stays. Who comes later still makes sure that the task does not wait. */
    while (!atomic_compare_exchange_strong(&task->cancel, &none, (int8_t)reason) &&
           !co4__task_hooks.scope_has_cancelled(task, reason) && atomic_load(&task->cancel) == 0)
        none = 0; /* the scope's body has just returned */
    if (co4__cancel_wait(task))
        co4__wait_hooks.wake(task);
    return err;
}

int co4_task_cancelled(const co4_task *task)
{
    return task ? atomic_load_explicit(&((co4_task *)(uintptr_t)task)->cancel, memory_order_acquire)
                : 0;
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
