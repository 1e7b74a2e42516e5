/* simulation.h - what takes the place of the clock, of chance and of threads in test mode.
 *
 * Purpose: the layers below debug/ wait, read the clock and choose. In a simulated program another
 * module does that for them. They know it by these functions alone; debug/simulate.c fills them.
 *
 * A thread's simulation stands in struct co4__local, a runtime's in co4_runtime. NULL: none, time
 * and threads are real. */
#ifndef CO4_SIMULATION_H
#define CO4_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"

struct co4__parker;
struct co4__simulation;

struct co4__simulation_ops {
    int64_t (*now)(const struct co4__simulation *s);
    /* False: it makes no random choices. */
    bool (*random)(struct co4__simulation *s, unsigned *number);
    void (*sleep)(struct co4__simulation *s, int64_t deadline);
    /* As co4__parker_wait, with steps of tasks meanwhile. CO4_EDEADLK: no step is possible. */
    int (*park)(struct co4__simulation *s, struct co4__parker *p, int64_t deadline);

    /* One more user; `leave` and `release` end a use. */
    void (*retain)(struct co4__simulation *s);
    void (*release)(struct co4__simulation *s);
    /* The runtime belongs to it until it leaves. The caller's use becomes the runtime's. */
    void (*enter)(struct co4__simulation *s, co4_runtime *rt);
    void (*leave)(co4_runtime *rt);
    /* One step of one task, after whatever has to happen first; the clock does not pass `limit`.
     * Returns the number of steps: 0, none is possible. */
    int (*step)(struct co4__simulation *s, int64_t limit);
    /* Nothing of the runtime is ready, nor will be by itself. */
    bool (*is_idle)(co4_runtime *rt);
};

/* The first member of debug/simulate.h's struct. */
struct co4__simulation {
    const struct co4__simulation_ops *ops;
};

#endif
