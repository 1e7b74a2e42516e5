/* stall_detector.h - reports steps that take too long. */
#ifndef CO4_STALL_DETECTOR_H
#define CO4_STALL_DETECTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "debug/task_record.h"
#include "sched/worker.h"

/* The step that a worker runs. The worker writes, the monitor reads. `steps` is odd while a step
 * runs. The other fields belong to that step if `steps` is the same before and after they are
 * read. */
struct co4__running {
    _Atomic uint64_t steps;
    _Atomic uint32_t task;
    _Atomic(const char *) function;
    _Atomic(const co4_abi_point *) place;
    _Atomic int64_t since; /* without threads only */
    /* Only the monitor accesses these: `steps` at its last check, the time since which it has that
     * value, and whether that step has been reported. */
    uint64_t seen;
    int64_t seen_at;
    bool reported;
};

void co4__stall_step(struct co4__worker *w, co4_task *t, const struct co4__task_record *x);
void co4__stall_stepped(struct co4__worker *w);
int co4__stalls_begin(co4_runtime *rt); /* CO4_OK, CO4_ENOMEM */
/* Called by the one thread that checks this worker. True: its step is newly found to be long, and
 * *stall says what is known of it. */
bool co4__stall_look(struct co4__worker *w, int64_t now, co4_stall *stall);
co4_on_stall co4__stall_say; /* to standard error */
/* Called by the monitor: reports long steps. Returns when to check again; CO4_NEVER: after its next
 * wake. */
int64_t co4__stalls_look(co4_runtime *rt);
void co4__stalls_end(co4_runtime *rt); /* after the monitor has stopped */

#endif
