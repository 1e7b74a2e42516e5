/* poller.h - where an idle worker waits for events of the outside world.
 *
 * The scheduler does not know descriptors. A worker without a poller sleeps on its parker. io/
 * gives a worker a poller when a task of it first waits for a descriptor, or when it idles and no
 * other worker would take the events of a blocked one. The worker's own thread sets `poller`, and
 * is awake then. A thread that wakes the worker reads it after the worker has
 * cleared the `notified` bit of its queue, so both use the same place. Without threads a worker
 * never sleeps alone: there the platform's sleep waits for events (hooks.h). */
#ifndef CO4_POLLER_H
#define CO4_POLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"

struct co4__poller;
struct co4__worker;

struct co4__poller_ops {
    /* Called by the owner when it is idle. Waits for the wake, an event, or the deadline, and keeps
     * the events for `handle`. CO4_OK: the wake has come, and is consumed. CO4_ETIMEDOUT: it has
     * not. CO4_EDEADLK: with `look`, nothing can end the wait. */
    int (*wait)(struct co4__poller *p, int64_t deadline, bool look);
    /* Called by the owner: makes the tasks ready whose events `wait` has kept. */
    void (*handle)(struct co4__poller *p);
    /* Called by the owner between steps: the same for all events that are there. Never waits. */
    void (*look)(struct co4__poller *p);
    /* Returns whether something waits for an event of it. Any thread. */
    bool (*awaits)(struct co4__poller *p);
    /* Called by any thread: takes the events that are there, if the owner has not looked lately.
     * Returns whether there were any. */
    bool (*rescue)(struct co4__poller *p, int64_t now);
    /* Called by the owner when a wake is about to come: waits for it, and consumes it. */
    void (*take_wake)(struct co4__poller *p);
    /* Called by any thread, once for each time that the owner clears `notified`. The last access of
     * that thread to the poller precedes the return of `wait` or `take_wake`. */
    void (*wake)(struct co4__poller *p);
    /* Called when a longjmp has left the worker's run: the runs outside it may end before this one
     * does. */
    void (*leave)(struct co4__poller *p);
    /* Called when the worker ends, or the call of its co4_run has ended. */
    void (*end)(struct co4__poller *p);
    /* Adds its counters, if it is of this worker. Any thread. */
    void (*count)(struct co4__poller *p, const struct co4__worker *w, co4_stats *out);
};

/* The first member of the struct of io/. */
struct co4__poller {
    const struct co4__poller_ops *ops;
};

/* io/ fills the table, by modules.c. NULL: the program has no descriptors. */
struct co4__poller_hooks {
    /* Returns a descriptor that is readable when there are events for this runtime without threads,
     * or when `wake_fd` is. A negative number: there is none. */
    int (*host_fd)(co4_runtime *rt, int wake_fd);
    /* Called by a worker between steps: it gets a poller, unless the system has none left. */
    int (*prepare)(void);
};

extern const struct co4__poller_hooks co4__poller_hooks;

#endif
