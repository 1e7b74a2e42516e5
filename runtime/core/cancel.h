/* cancel.h - ending the wait of a cancelled task. */
#ifndef CO4_CANCEL_INTERNAL_H
#define CO4_CANCEL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/task.h"

/* Ends the wait of a task that has been told that it is cancelled. True: its wake is the caller's.
 * In one go, or the claim first, which may be made under locks, and the rest with none held. */
bool co4__cancel_wait(co4_task *t);
bool co4__cancel_claim(co4_task *t, uint8_t *was);
void co4__cancel_claimed(co4_task *t, uint8_t was);

/* Makes `reason` the task's, if it has none yet. The caller holds `cancelling` of the task's
 * extension when the byte has no room for the reason (code.h). */
bool co4__cancel_keep(co4_task *t, int reason);

static inline int co4__cancel_reason(int reason)
{
    return reason != 0 ? reason : CO4_ECANCELED;
}

#endif
