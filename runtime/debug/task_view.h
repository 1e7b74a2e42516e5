/* task_view.h - what a task waits for, and a tour of all tasks. */
#ifndef CO4_TASK_VIEW_H
#define CO4_TASK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "debug/registry.h"

enum {
    CO4__VIEW_DEPTH = 64,    /* frames that are shown */
    CO4__VIEW_DEEPER = 1000, /* frames that are counted: a thread may wait to wake the task */
    CO4__VIEW_CASES = 8
};

/* The data of a task that are copied while it is held. */
struct co4__task_view {
    const co4_task *task; /* an address, for comparison */
    uint32_t number;
    co4_task_state state;
    bool whole; /* the fields below are known */
    char name[CO4_TASK_NAME_BYTES];
    const char *function;
    int64_t since, deadline; /* 0: not known; CO4_NEVER: none */
    unsigned kind;           /* what it waits for: enum co4__wait */
    const char *words;       /* of the call in which it waits; or NULL */
    const void *object;      /* where it waits; or NULL */
    int descriptor;          /* likewise; or -1 */
    bool cancelled;
    unsigned nframes, deeper;
    const co4_abi_point *frames[CO4__VIEW_DEPTH];
    int ncases;
    struct co4__case_view {
        const char *what;
        const co4_source *source; /* or NULL: `descriptor` */
        int descriptor;
    } cases[CO4__VIEW_CASES];
};

/* Copies of a runtime's fields. The runtime may end while it is shown, so its address is only
 * compared. */
struct co4__runtime_view {
    const co4_runtime *rt;
    unsigned runtime_id, number, nworkers;
    bool local, threaded, driven_here, simulated;
    int64_t simulated_now;
    uint64_t alive;
    co4_stats stats;
    bool has_main; /* of a co4_run: its call, which is seen below */
    struct co4__task_view main;
};

/* Copies what is to be seen of a runtime, which exists until this returns: the caller holds the
 * lock of the registry, or owns the runtime. */
void co4__view_runtime(struct co4__runtime_view *v, co4_runtime *rt);
/* Calls see(arg, task) for each task of that runtime, and with NULL of all runtimes, until it
 * returns a code that is not CO4_OK. The calls of co4_run are not among them. No lock is held. */
void co4__view_tasks(const struct co4__runtime_view *of,
                     int (*see)(void *arg, const struct co4__task_view *t), void *arg);
/* The next runtime from a cursor on (registry.h): the lock is taken, and yielded now and then.
 * False: there is none. */
bool co4__view_next_runtime(struct co4__cursor *c, const co4_runtime *only,
                            struct co4__runtime_view *v);

/* What the wait of a paused task is, in words that go before an object. */
const char *co4__view_wait(const struct co4__task_view *v);
/* The name of a function as the user's source has it. */
const char *co4__name_in_source(const char *name);
/* A frame that is not shown: a call that has not begun, or one that the weaver made. */
bool co4__frame_is_hidden(const co4_abi_point *at);

#endif
