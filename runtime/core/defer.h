/* defer.h - the end of a task that has an extension. */
#ifndef CO4_DEFER_INTERNAL_H
#define CO4_DEFER_INTERNAL_H

#include "base/public.h"

/* Called when the task's function has returned, on its last worker, before any other thread is
 * notified. */
void co4__extension_ended(co4_task *t, int error, const void *value);

#endif
