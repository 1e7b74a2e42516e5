/* defer.h - deferred calls. */
#ifndef CO4_DEFER_INTERNAL_H
#define CO4_DEFER_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"
#include "core/task_extension.h"

/* `t` is the calling task, or one that no other task knows yet. */
CO4__PRIVATE int co4__defer(co4_task *t, void (*call)(void *arg), void *arg);
CO4__PRIVATE int co4__undefer(co4_task *t, void (*call)(void *arg), void *arg);

/* Runs the calls of a task that ends. */
void co4__defers_run(struct co4__task_extension *x);

#endif
