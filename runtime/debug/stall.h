/* stall.h - steps that take too long: what watch.c tells stall.c of. */
#ifndef CO4_STALL_H
#define CO4_STALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "debug/watched.h"
#include "sched/worker.h"

/* What a worker is at. Its owner writes, the watching thread reads: `steps` is odd while a step
 * runs, and the rest is of that step if `steps` is the same before and after. */
struct co4__running {
    _Atomic uint64_t steps;
    _Atomic uint32_t task;
    _Atomic(const char *) function;
    _Atomic(const co4_abi_point *) place;
    _Atomic int64_t since; /* without threads only */
    uint64_t seen;         /* the watching thread's: `steps` when it was here last, … */
    int64_t seen_at;       /* … since when it has been that */
    bool told;
};

void co4__stall_step(struct co4__worker *w, co4_task *t, const struct co4__watched *x);
void co4__stall_stepped(struct co4__worker *w);
/* CO4_OK, or why there is no thread; then nothing is watched. */
int co4__stall_begin(co4_runtime *rt);
void co4__stall_end(co4_runtime *rt);

#endif
