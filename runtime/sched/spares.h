/* spares.h - workers that stand in for blocked ones. */
#ifndef CO4_SPARES_INTERNAL_H
#define CO4_SPARES_INTERNAL_H

#include <stdint.h>

#include "core/task.h"
#include "sched/worker.h"

#include "co4/runtime.h"

/* Like co4_runtime_create(), with up to `spares` workers besides. CO4_OK, CO4_EINVAL or
 * CO4_ENOMEM. */
int co4__runtime_make_spared(co4_runtime **out, const co4_runtime_options *options,
                             unsigned spares);

/* For struct co4__several: sched.h describes them. */
void co4__spares_push(struct co4__worker *w, co4_task *t);
void co4__spares_take_back(struct co4__worker *w);
void co4__spares_begin(struct co4__worker *w);
void co4__spares_idle(struct co4__worker *w);
void co4__spares_look(co4_runtime *rt, int64_t now);

#endif
