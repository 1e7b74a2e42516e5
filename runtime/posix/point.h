/* point.h - cancellation points of POSIX, in tasks that are threads. */
#ifndef CO4_POSIX_POINT_H
#define CO4_POSIX_POINT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/public.h"

/* cancels.c: a program may lack these. The first returns whether the calling task is a thread that
 * is cancelled, and that does not go on: its fiber has to pause as CO4_ABI_FAILED. */
extern CO4__IF_LINKED bool co4__cancels_now(co4_task *task);
/* Whether a cancellation ends the wait of the calling task, which is a thread, and not the task.
 * False: nothing has changed, as it is none, or has a shield. */
extern CO4__IF_LINKED bool co4__cancels_notify(co4_task *task, bool notified);
/* Whether it ends in any wait: its type is PTHREAD_CANCEL_ASYNCHRONOUS. */
extern CO4__IF_LINKED bool co4__cancels_at_once(co4_task *task);

#ifdef CO4_PLAIN
#define co4__posix_point()            ((void)0)
#define co4__posix_notified(notified) ((void)(notified), false)
#else
/* A call that might not wait is a cancellation point: if the thread is cancelled, it ends here. */
CO4__OWN pausable void co4__posix_point(void);
/* co4__cancels_notify(), of the calling task; it does not pause. */
CO4__OWN pausable bool co4__posix_notified(bool notified);
/* co4__cancels_at_once(), likewise. */
CO4__OWN pausable bool co4__posix_ends_at_once(void);
#endif

#endif
