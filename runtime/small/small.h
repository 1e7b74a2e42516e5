/* small.h - what the files of the small library share: a task with its timer, waiting, waking.
 *
 * One thread and no interrupts inside, so there is no lock, and no wake can come while a step
 * unwinds: a task that is listed is PAUSED. The atomic members of a task are read and written
 * relaxed, which is plain code everywhere. */
#ifndef CO4_SMALL_INTERNAL_H
#define CO4_SMALL_INTERNAL_H

#include <stdint.h>

#include "base/public.h"
#include "co4/small.h"
#include "core/task.h"

struct run;

/* Every task has its timer in it: to sleep takes no memory, and cannot fail. */
struct co4__small_task {
    co4_task task;   /* first */
    struct run *run; /* the co4_run that it belongs to; NULL: not scheduled, or gone */
    struct co4__small_task *later;
    int64_t deadline; /* CO4_NEVER: it stands among no timers */
};

/* The task waits in `list` (NULL: nowhere, for its timer alone). Returns what the primitive
 * returns. */
int co4__small_wait(co4_fiber *co4, struct co4__list *list, void *buffer, int64_t deadline);
/* The same when it may not: CO4_ESTATE, CO4_ECANCELED; else CO4_OK. */
int co4__small_may_wait(co4_fiber *co4);
/* The wait is over, with this code. */
void co4__small_wake(co4_task *t, int code);

#endif
