/* host.h - calls of JavaScript: host.c explains them. */
#ifndef CO4_HOST_INTERNAL_H
#define CO4_HOST_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"

/* A call of JavaScript that has paused has ended. */
CO4__OWN void co4__host_call_ends(co4_task *t, int error);
/* For a page that holds the program: makes one step, of a task that is ready. Returns the task,
 * which may have ended; NULL: none was ready, and runtimes that the program makes have had a
 * turn. */
CO4__OWN const co4_task *co4__host_step(void);

#endif
