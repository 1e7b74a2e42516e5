/* hooks.h - functions of higher layers that lower ones call.
 *
 * Purpose: the scheduler, the clock and the locks do not know who traces, dumps or simulates. They
 * call these functions. modules.c, the one file that knows all modules, fills the table; it is
 * constant, so a call costs what any call costs.
 *
 * Rejected: functions that modules register when they are first used. A module would need a moment
 * for that (a constructor, which the linker leaves out of archives, or the first public call), and
 * the table a guard. */
#ifndef CO4_HOOKS_H
#define CO4_HOOKS_H

#include "base/simulation.h"

struct co4__layout;

struct co4__hooks {
    /* Without threads: a turn of every started runtime. Steps made; *next: when there is more. */
    unsigned (*turn_all)(int64_t *next);
    /* A new simulation with one use. CO4_OK, CO4_EINVAL, CO4_ENOMEM. */
    int (*simulate)(struct co4__simulation **out, const co4_test_options *options);
    /* This call will return CO4_EDEADLK. `function`: what it called, or NULL. */
    void (*deadlock)(const char *call, const char *function);
    /* Nothing reads it here: the table is linked for debuggers. */
    const struct co4__layout *layout;
};

extern const struct co4__hooks co4__hooks;

#endif
