/* cancel.h - ending the wait of a cancelled task. */
#ifndef CO4_CANCEL_INTERNAL_H
#define CO4_CANCEL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/task.h"

/* Ends the wait of a task whose `cancel` is set. True: the caller owns the task's wake. cancel_wait
 * does it in one call. Otherwise cancel_claim claims the task, which is allowed under locks, and
 * cancel_claimed does the remaining work, with no lock held. */
bool co4__cancel_wait(co4_task *t);
bool co4__cancel_claim(co4_task *t, uint8_t *was);
void co4__cancel_claimed(co4_task *t, uint8_t was);

/* Stores `reason` in the task, if it has none yet. If the reason does not fit in the byte (code.h),
 * the caller holds `cancelling` of the task's extension. */
bool co4__cancel_keep(co4_task *t, int reason);

/* Ends the wait of a task that is a thread, and later ones. co4__is_cancelled() does not say so,
 * and the task goes on to wait. What comes before its next step gives it up (posix/cancels.c). */
void co4__cut(co4_task *t);

static inline int co4__cancel_reason(int reason)
{
    return reason != 0 ? reason : CO4_ECANCELED;
}

#endif
