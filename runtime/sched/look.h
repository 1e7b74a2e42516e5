/* look.h - what a busy worker does between two steps, now and then. */
#ifndef CO4_LOOK_INTERNAL_H
#define CO4_LOOK_INTERNAL_H

#include <stdint.h>

#include "base/compiler.h"

struct co4__worker;

/* Called by the owner after a step, if its number is due, or its inbox has tasks. */
void co4__worker_look(struct co4__worker *w);
/* Called by the owner when its earliest deadline has become earlier. */
void co4__worker_looks_soon(struct co4__worker *w);
CO4__PRIVATE void co4__worker_timers(struct co4__worker *w); /* fires its timers that are due */
void co4__worker_events(struct co4__worker *w);              /* handles the events of its poller */

#endif
