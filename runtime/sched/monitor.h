/* monitor.h - the thread of a runtime that looks after its workers. */
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
    bool runs;    /* constant while workers run, like the next */
    bool rescues; /* it looks after the inboxes */
    atomic_bool ending;
    /* stall_detector.c: the monitor has found no step under way, so the next one wakes it. */
    atomic_bool step_wakes;
    /* Calls that have been made. Counting is the caller's last access to the runtime. */
    _Atomic uint64_t calls;
    /* Calls that the monitor knows of. Written by its thread, and by co4__monitor_stop after it. */
    uint64_t answered;
};

/* Starts the thread if the runtime needs it. CO4_OK, CO4_EAGAIN. */
int co4__monitor_start(co4_runtime *rt);
/* In the child after a fork: the thread is not there. */
void co4__monitor_fork_child(co4_runtime *rt);
void co4__monitor_stop(co4_runtime *rt); /* when no worker's thread runs any more */

#endif
