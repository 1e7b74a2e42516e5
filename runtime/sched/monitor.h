/* monitor.h - the thread of a runtime that supervises its workers. */
#ifndef CO4_MONITOR_INTERNAL_H
#define CO4_MONITOR_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "platform/thread.h"

struct co4__monitor {
    struct co4__parker parker; /* its thread waits here */
    struct co4__thread thread;
    bool runs;    /* constant while workers run, like `rescues` */
    bool rescues; /* it checks the inboxes */
    atomic_bool ending;
    /* stall_detector.c: the monitor found no running step, so the next step wakes it. */
    atomic_bool step_wakes;
    atomic_bool watches; /* it looks at the workers now and then; one that wakes sets it */
    /* The number of calls made. Counting is the caller's last access to the runtime. */
    _Atomic uint64_t calls;
    /* The number of calls that the monitor knows. Its thread writes it, and later
     * co4__monitor_stop(). */
    uint64_t answered;
};

/* Starts the thread if the runtime needs it. Returns CO4_OK, CO4_EAGAIN or CO4_ENOMEM. */
int co4__monitor_start(co4_runtime *rt);
/* Called in the child after a fork, where the thread does not exist. */
void co4__monitor_fork_child(co4_runtime *rt);
/* A worker is awake: from now on the monitor looks at the events and timers of all, until it finds
 * all workers asleep. The worker calls it after each wake. */
static inline void co4__monitor_watch(struct co4__monitor *m)
{
    if (m->rescues && m->runs && !atomic_exchange(&m->watches, true))
        co4__parker_wake(&m->parker);
}

void co4__monitor_stop(co4_runtime *rt); /* when no worker's thread runs any more */

#endif
