/* idle.h - a worker sleeps, and others wake it. */
#ifndef CO4_IDLE_INTERNAL_H
#define CO4_IDLE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/worker.h"

int co4__worker_idle(struct co4__worker *w, int64_t until); /* CO4_OK: look again; CO4_EDEADLK */
bool co4__worker_idle_begin(
    struct co4__worker *w); /* from here on a push pays a wake; false: work is there */
void co4__worker_idle_end(struct co4__worker *w);
void co4__worker_wake(struct co4__worker *w);

#endif
