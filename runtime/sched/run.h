/* run.h - co4_run. */
#ifndef CO4_RUN_INTERNAL_H
#define CO4_RUN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/thread.h"

/* Called in public functions: removes the runs of this thread that a longjmp has left. The next run
 * frees them. */
void co4__runs_look(const char *called_at);
void co4__runs_left_by(const co4_task *t);
void co4__runs_thread_exit(void); /* frees all of them */

/* Returns the root frame of a co4_run whose result is wide, or NULL. It is on the caller's stack
 * and is never freed. */
const co4_frame *co4__run_root(const co4_fiber *main);
/* Returns the worker in whose step the run of this worker has begun. NULL: it has begun in no step,
 * or the worker is not of a run. */
CO4__PRIVATE struct co4__worker *co4__worker_outside(const struct co4__worker *w);
/* The task of that step; or NULL. */
CO4__PRIVATE co4_task *co4__task_outside(const struct co4__worker *w);
/* Returns whether the task cannot go on before the innermost run of this thread has ended. */
bool co4__task_is_outside(const co4_task *t);
/* Called when t has been scheduled in this run, whose array is full. */
void co4__run_enrolls(co4_runtime *rt, co4_task *t);

/* Returns whether the task's step is on this thread: it runs now, or around the runs that it has
 * begun, or a handler of signals that has interrupted it. */
CO4__OWN bool co4__run_steps_here(const co4_task *t);

/* Called where the function of a run was given up and has no code to return: in a simulation main
 * may have ended as a thread does. NULL: none has. */
extern CO4__OWN void (*co4__run_given_up)(void);

#endif
