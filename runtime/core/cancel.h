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
/* As it is kept. CO4_EINVAL: it was none, and is CO4_ECANCELED now. */
int co4__cancel_reason(int *reason);

#endif
