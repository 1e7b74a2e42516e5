/* run.h - co4_run. */
#ifndef CO4_RUN_INTERNAL_H
#define CO4_RUN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/thread.h"

/* In a function that users call: has the thread left runs by a jump? They are forgotten then, to be
 * given back by the next. */
void co4__runs_look(const char *called_at);
void co4__runs_thread_exit(void); /* gives all back */

/* The root frame of a co4_run whose result is wide: it stands on the caller's stack, and is never
 * given back. Or NULL. */
const co4_frame *co4__run_root(const co4_fiber *main);
/* t has been scheduled here, and there is no room to note it. */
void co4__run_enrolls(co4_runtime *rt, co4_task *t);

#endif
