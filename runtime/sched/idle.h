/* idle.h - a worker sleeps, and others wake it. */
#ifndef CO4_IDLE_INTERNAL_H
#define CO4_IDLE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/worker.h"

/* Returns CO4_OK: check for tasks again; or CO4_EDEADLK. */
int co4__worker_idle(struct co4__worker *w, int64_t until);
/* After this a push to the queue has to wake the worker. False: there are ready tasks. */
bool co4__worker_idle_begin(struct co4__worker *w);
void co4__worker_idle_end(struct co4__worker *w);
void co4__worker_wake(struct co4__worker *w);

#endif
