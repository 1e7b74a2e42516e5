/* stall_detector.h - reports steps that take too long. */
#ifndef CO4_STALL_DETECTOR_H
#define CO4_STALL_DETECTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "debug/watched.h"
#include "sched/worker.h"

/* The step that a worker runs. The worker writes, the monitor reads. `steps` is odd while a step
 * runs, and the rest belongs to that step if `steps` is the same before and after. */
struct co4__running {
    _Atomic uint64_t steps;
    _Atomic uint32_t task;
    _Atomic(const char *) function;
    _Atomic(const co4_abi_point *) place;
    _Atomic int64_t since; /* without threads only */
    /* The monitor's: `steps` at its last look, since when it has been that, and whether that step
     * has been reported. */
    uint64_t seen;
    int64_t seen_at;
    bool reported;
};

void co4__stall_step(struct co4__worker *w, co4_task *t, const struct co4__watched *x);
void co4__stall_stepped(struct co4__worker *w);
int co4__stalls_begin(co4_runtime *rt); /* CO4_OK, CO4_ENOMEM */
/* The monitor's: reports what takes too long. When to look again; CO4_NEVER: once it is woken. */
int64_t co4__stalls_look(co4_runtime *rt);
void co4__stalls_end(co4_runtime *rt); /* once the monitor has stopped */

#endif
