/* reactor.h - where a worker waits for events of descriptors, and the drivers that do the waiting.
 * reactor.c explains the protocol. */
#ifndef CO4_REACTOR_H
#define CO4_REACTOR_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "io/descriptor.h"
#include "io/uring.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/worker.h"

struct co4__io_event {
    int fd; /* of a nested reactor: -1 - its index among the workers; or CO4__WAKE */
    uint32_t generation;
    unsigned what; /* CO4__MAY_READ … */
};

#define CO4__EVENTS 128     /* reported by one call */
#define CO4__WAKE   INT_MAX /* as a descriptor: `wake` was called; calls of the ring have ended */
#define CO4__RING   (INT_MAX - 1)

/* What the system offers. Except for `wait`, any thread calls these functions. Edge-triggered: an
 * event comes when something has changed since the registration or the last event. */
struct co4__io_driver {
    const char *name;
    int (*open)(struct co4__reactor *r); /* returns 0 or an error number, like `add` */
    void (*close)(struct co4__reactor *r);
    /* Registers both directions. What is ready already is an event. */
    int (*add)(struct co4__reactor *r, int fd, uint32_t generation);
    void (*remove)(struct co4__reactor *r, int fd);
    /* Returns whether the file that has this number now is the one that was registered. It makes no
     * event. NULL: the system does not tell. */
    bool (*has)(struct co4__reactor *r, int fd, uint32_t generation);
    /* A waiter for these events of poll() has queued. NULL: the driver reports every event
     * anyway. */
    void (*arm)(struct co4__reactor *r, int fd, short events);
    /* Returns the number of events. Returns early after `wake`, and after a signal. A deadline of 0
     * does not wait. With `nest`, other threads may call it at the same time, with deadline 0. */
    int (*wait)(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline);
    void (*wake)(struct co4__reactor *r);
    /* From now on (until unnest) events of `other` end the wait of r: an event with a negative fd,
     * until they are taken. NULL: the driver cannot. Returns 0 or an error number. */
    int (*nest)(struct co4__reactor *r, struct co4__reactor *other);
    void (*unnest)(struct co4__reactor *r, struct co4__reactor *other);
    /* Returns a descriptor that is readable while there are events, or while `wake_fd` is; or -1.
     * NULL: the driver has none. */
    int (*host_fd)(struct co4__reactor *r, int wake_fd);
    /* From now on the wait also ends while `fd` is readable, with an event of CO4__RING. NULL: the
     * driver cannot. Returns 0 or an error number. */
    int (*watch)(struct co4__reactor *r, int fd);
};

struct co4__reactor {
    struct co4__poller poller; /* first */
    const struct co4__io_driver *driver;
    struct co4__worker *worker; /* constant; NULL: the helper thread's */
    unsigned index;             /* of the worker; constant */
    unsigned generation;        /* of the process that opened the driver; the owner's */
    int fd, wake_fd;            /* the driver's; constant while it is open */
    void *state;                /* likewise */
    atomic_bool woken;          /* a wake has come; set by the waker's last access */
    atomic_bool sleeps;         /* the owner is in the driver's wait, or about to be */
    /* Threads that call the driver without owning the reactor. The end waits for them. */
    atomic_uint users;
    atomic_uint registered; /* descriptors that are registered here … */
    co4__lock lock;         /* guards the next two */
    int lowest, highest;    /* … their numbers are from … to */
    _Atomic int awaited;    /* a hint: one of them, for which a task has waited */
    _Atomic int64_t looked; /* when its events were last taken, by any thread */
    /* The reactor that waits for this one's events, as this one's worker is stuck; or NULL. Set by
     * that worker, taken back by this one. */
    _Atomic(struct co4__reactor *) nested_in;
    struct {
        /* Calls on files that the kernel makes. The owner opens it; any thread takes calls that
         * have ended. NULL: there is none. */
        _Atomic(struct co4__uring *) made;
        bool refused; /* there will be none; the owner's */
    } ring;
    struct co4__io_event events[CO4__EVENTS]; /* the owner's, between wait and handle */
    int nevents;
    /* The owner's: how far spinning has paid, 0 to SPIN_MOST; how long it watches a busy worker. */
    unsigned spin;
    int64_t watch;
    /* The owner's, for lost.c: when it looks for descriptors that were closed by a plain close(), 0
     * if an event has come since; how long no event has to come before; the next number. */
    struct {
        int64_t look_at, after;
        int next;
    } quiet;
    bool may_spin; /* there is more than one processor; constant */
    /* Read by statistics. The owner writes them. */
    _Atomic uint64_t waits, polls, spins, spins_won, taken_for_others;
    _Atomic uint64_t nevents_all;
};

extern const struct co4__io_driver co4__io_epoll, co4__io_kqueue, co4__io_poll, co4__io_wasi,
    co4__io_js;

/* Registers the descriptor, unless it is: in the reactor of this thread's worker, which is made at
 * the first call. Without a worker it is the helper thread's. Returns 0 or an error number. */
int co4__reactor_watch(struct co4__descriptor *d, uint32_t generation);
/* Has the kernel make a call, by the ring of this thread's worker. The ring is opened when the
 * worker has made a few calls by the pool. The end of the call ends its use of the descriptor, and
 * wakes its task. False: there is no ring, or it is full, and nothing was done. */
bool co4__reactor_call(struct co4__uring_call *call, const struct co4__uring_request *request);
/* Makes the reactor of this thread's worker, if there is none. Returns 0 or an error number. */
int co4__reactor_prepare(void);
/* Returns a descriptor that a host polls: readable when there are events, or when `wake_fd` is. A
 * negative number: there is none. */
int co4__reactor_host_fd(co4_runtime *rt, int wake_fd);
/* Without threads: sleeps until an event or the deadline. False: nothing waits for events. */
bool co4__reactor_sleep(int64_t deadline);
/* Without threads: does a task wait for an event? */
bool co4__reactor_awaits(void);

co4__fork_handler co4__reactor_fork;

/* ---- registrations (io/descriptor.c) ---- */

/* Another number in each process. */
unsigned co4__reactor_generation(void);
/* Called under the lock of the descriptor. It leaves its driver, as it is about to be closed, its
 * number belongs to another file, or the reactor ends. */
void co4__reactor_forget(struct co4__descriptor *d);
/* Returns whether the number still belongs to the file that is registered. *is_known: the driver
 * tells; else the answer is false. */
bool co4__reactor_has(struct co4__descriptor *d, uint32_t generation, bool *is_known);
extern atomic_bool co4__some_driver_arms; /* a reactor has had a driver that wants this call: */
/* Tells the driver that a waiter for these events of poll() has queued, if it wants to know. */
void co4__reactor_arm(struct co4__descriptor *d, short events);

/* Calls `each` for the descriptors that are registered in r, until it returns false. */
bool co4__reactor_each(struct co4__reactor *r,
                       bool (*each)(struct co4__reactor *r, struct co4__descriptor *d));

/* ---- workers that do not look (io/rescue.c) ---- */

/* Makes the tasks ready that wait for these events of r. */
void co4__reactor_handle(struct co4__reactor *r, const struct co4__io_event *events, int n);
/* Any thread: takes the events of r, if its owner has not looked lately. Returns whether there were
 * any. */
bool co4__reactor_rescue(struct co4__reactor *r, int64_t now);
/* The same for all other reactors of the runtime. *busy: the first one whose worker is awake, or
 * NULL. */
bool co4__reactor_take_for_others(struct co4__reactor *r, int64_t now, struct co4__reactor **busy);
/* From now on events of `other` wake r, until its owner looks again, and ends that. */
void co4__reactor_nest(struct co4__reactor *r, struct co4__reactor *other);
void co4__reactor_end_nesting(struct co4__reactor *r);
/* r is about to end: no driver is nested in it any more. */
void co4__reactor_release_nested(struct co4__reactor *r);

/* A run inside a run looks after the reactors of workers outside, which cannot look before it has
 * ended. Returns whether `other` is `w` or outside of it. */
bool co4__reactor_is_outside(const struct co4__worker *w, const struct co4__worker *other);
/* Returns whether tasks of this run wait for events that a worker outside would take. */
bool co4__reactor_awaits_outside(const struct co4__reactor *r);
void co4__reactor_leave_outside(struct co4__reactor *r);

#endif
