/* hooks.h - functions of higher layers that lower layers call.
 *
 * Purpose: the scheduler, the clock and the locks do not know the modules that trace, dump or
 * simulate. They call these functions instead. modules.c, the only file that knows all modules,
 * fills the tables. They are constant, so a call costs as much as any indirect call. Whether a
 * program has a module, the linker decides: modules.c explains it. */
#ifndef CO4_HOOKS_H
#define CO4_HOOKS_H

#include "base/simulation.h"

struct co4__layout;

struct co4__hooks {
    /* Without threads: runs a turn of every started runtime. Returns the number of steps; *next is
     * the time of the next work. NULL: the program makes no runtime. */
    unsigned (*turn_all)(int64_t *next);
    /* Without threads: sleeps until the deadline or an event of a descriptor. False: nothing waits
     * for one, and it has not slept. NULL: the program has no descriptors. */
    bool (*sleep_for_events)(int64_t deadline);
#ifdef __EMSCRIPTEN__
    /* Does a task wait for a descriptor? NULL: the program has none. */
    bool (*awaits_events)(void);
#endif
    /* Reports that `call` is about to return CO4_EDEADLK. `function`: what it called, or NULL. */
    void (*deadlock)(const char *call, const char *function);
    /* The runtime does not read it. This pointer has the linker keep the table for debuggers. */
    const struct co4__layout *layout;
};

extern const struct co4__hooks co4__hooks;

#endif
