/* hooks.h - functions of higher layers that lower layers call.
 *
 * Purpose: the scheduler, the clock and the locks do not know the modules that trace, dump or
 * simulate. They call these functions instead. modules.c, the only file that knows all modules,
 * fills the table. It is constant, so a call costs as much as any indirect call.
 *
 * Rejected: functions that modules register at their first use. A module would need a moment to
 * register: a constructor, which the linker leaves out of archives, or its first public call. The
 * table would need a lock. */
#ifndef CO4_HOOKS_H
#define CO4_HOOKS_H

#include "base/simulation.h"

struct co4__layout;

struct co4__hooks {
    /* Without threads: runs a turn of every started runtime. Returns the number of steps; *next is
     * the time of the next work. */
    unsigned (*turn_all)(int64_t *next);
    /* Without threads: sleeps until the deadline or an event of a descriptor. False: nothing waits
     * for one, and it has not slept. */
    bool (*sleep_for_events)(int64_t deadline);
    /* Makes a simulation with one reference. Returns CO4_OK, CO4_EINVAL or CO4_ENOMEM. */
    int (*simulate)(struct co4__simulation **out, const co4_test_options *options);
    /* Reports that `call` is about to return CO4_EDEADLK. `function`: what it called, or NULL. */
    void (*deadlock)(const char *call, const char *function);
    /* The runtime does not read it. This pointer has the linker keep the table for debuggers. */
    const struct co4__layout *layout;
};

extern const struct co4__hooks co4__hooks;

#endif
