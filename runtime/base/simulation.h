/* simulation.h - the interface of the simulation, which replaces clock, randomness and threads in
 * test mode.
 *
 * Purpose: the layers below debug/ wait, read the clock and make random choices. In a simulated
 * program another module does that for them. They reach it only through these functions, which
 * debug/simulate.c provides.
 *
 * Invariants: struct co4__local has the simulation of a thread, co4_runtime that of a runtime. NULL
 * means that there is none: time and threads are real. */
#ifndef CO4_SIMULATION_H
#define CO4_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"

struct co4__io_ops;
struct co4__parker;
struct co4__simulation;
struct co4__simulated_world;
struct co4__worker;

struct co4__simulation_ops {
    int64_t (*now)(const struct co4__simulation *s);
    /* Returns false if the simulation makes no random choices. */
    bool (*random)(struct co4__simulation *s, unsigned *number);
    /* Returns a number for a choice that a program makes, like co4__choice(). */
    unsigned (*choice)(struct co4__simulation *s);
    void (*sleep)(struct co4__simulation *s, int64_t deadline);
    /* Like co4__parker_wait(), but runs steps of tasks meanwhile. CO4_EDEADLK: no step is
     * possible. */
    int (*park)(struct co4__simulation *s, struct co4__parker *p, int64_t deadline);

    /* Adds a reference; `leave` and `release` drop one. */
    void (*retain)(struct co4__simulation *s);
    void (*release)(struct co4__simulation *s);
    /* The runtime belongs to the simulation until `leave`. It takes over the caller's reference. */
    void (*enter)(struct co4__simulation *s, co4_runtime *rt);
    void (*leave)(co4_runtime *rt);
    /* Does all that is pending, then runs one step of one task. The clock does not pass `limit`.
     * Returns the number of steps; 0 if none is possible. */
    int (*step)(struct co4__simulation *s, int64_t limit);
    /* Returns whether no task of the runtime is ready and no task becomes ready by itself. */
    bool (*is_idle)(co4_runtime *rt);
    /* Notes the new state of a task of a simulated runtime. */
    void (*task_is)(struct co4__worker *w, co4_task *t, co4_task_state state);
    /* A task of such a runtime is ready. True: it will be placed later. */
    bool (*delays)(co4_runtime *rt, co4_task *t);
    /* A decision of the running task. Returns whether it ends its step here. */
    bool (*decides)(struct co4__simulation *s);
    /* Adds an event of the world to the digest, and to the trace: "NAME which WHAT n". */
    void (*note)(struct co4__simulation *s, const char *name, uint64_t which, const char *what,
                 uint64_t n);
};

/* What happens by the clock beside the tasks. io/ provides it: the network. */
struct co4__simulated_world_ops {
    /* Called before each step, and after the clock has moved: makes happen what is due. Returns the
     * time. The world may choose a later one than `now`, up to `limit`. */
    int64_t (*turn)(struct co4__simulated_world *w, int64_t now, int64_t limit);
    /* Returns when the next event comes; CO4_NEVER: none will. */
    int64_t (*next)(const struct co4__simulated_world *w);
    /* No task is ready: may the clock move to this time? Returns it, or an earlier time at which
     * something comes. It waits for other processes of the simulation. */
    int64_t (*until)(struct co4__simulated_world *w, int64_t time);
    /* The simulation ends. */
    void (*end)(struct co4__simulated_world *w);
};

/* The first member of the struct of io/. */
struct co4__simulated_world {
    const struct co4__simulated_world_ops *ops;
};

/* The first member of the struct in debug/simulate.h. */
struct co4__simulation {
    const struct co4__simulation_ops *ops;
    const struct co4__io_ops *io;       /* what makes its descriptors; NULL: the system */
    struct co4__simulated_world *world; /* NULL: none is in use */
    int64_t step_ns;                    /* the time of a step */
    uint32_t tasks, runtimes;           /* the last numbers of some */
    void (*deadlock)(void);             /* nothing can happen any more; NULL: main's call fails */
    bool (*between)(void);              /* before each step; true: look at the system; or NULL */
    /* Looks at what other processes may have done. Returns whether a wait may end by it. NULL: none
     * does. */
    bool (*look)(void);
    /* Whether a fault of this kind happens, where chance has drawn; NULL: as drawn. */
    bool (*fault)(const char *kind, bool drawn);
    uint64_t stops_at;   /* before this step, `stops` is called; 0: never */
    void (*stops)(void); /* a debugger takes over */
};

#endif
