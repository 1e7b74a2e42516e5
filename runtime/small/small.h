/* small.h - shared by the files of the small library: a task with its timer, waiting, waking.
 *
 * Concurrency: there is one thread and no interrupt uses the library, so there is no lock. No wake
 * can come while a step unwinds: a queued task is PAUSED. The atomic fields of a task are accessed
 * relaxed, which is plain code on all targets. */
#ifndef CO4_SMALL_INTERNAL_H
#define CO4_SMALL_INTERNAL_H

#include <stdint.h>

#include "base/public.h"
#include "co4/small.h"
#include "core/task.h"
#include "core/wait.h"

struct run;

/* Every task contains its timer, so sleeping allocates nothing and cannot fail. */
struct co4__small_task {
    co4_task task;   /* first */
    struct run *run; /* the co4_run of the task; NULL: not scheduled, or freed */
    struct co4__small_task *later;
    int64_t deadline; /* CO4_NEVER: it is not in the list of timers */
};

/* The task waits in `list`; NULL: only for its timer. Returns the primitive's return value. */
int co4__small_wait(co4_fiber *co4, struct co4__list *list, void *buffer, int64_t deadline);
/* Returns CO4_ESTATE or CO4_ECANCELED if the fiber may not wait now, otherwise CO4_OK. */
int co4__small_may_wait(co4_fiber *co4);
/* Ends the wait of the task with this code. */
void co4__small_wake(co4_task *t, int code);

#endif
