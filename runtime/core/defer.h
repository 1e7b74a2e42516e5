/* defer.h - the end of a task that has an extension. */
#ifndef CO4_DEFER_INTERNAL_H
#define CO4_DEFER_INTERNAL_H

#include "base/public.h"

/* Of the calling task, or of one that no other task knows yet. */
int co4__defer(co4_task *t, void (*call)(void *arg), void *arg);
int co4__undefer(co4_task *t, void (*call)(void *arg), void *arg);

/* Called when the task's function has returned, on its last worker, before any other thread is
 * notified. */
void co4__extension_ended(co4_task *t, int error, const void *value);

#endif
