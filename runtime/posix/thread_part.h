/* thread_part.h - the state of a thread that a task has; for its parts. */
#ifndef CO4_POSIX_THREAD_PART_H
#define CO4_POSIX_THREAD_PART_H

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "posix/thread_state.h"

/* The state of a task. Only the thread that runs the task accesses it. */
struct co4__thread_state {
    co4_task *task;
    bool waits; /* its last step has ended in a wait */
    /* While the task runs: the state that it has interrupted, and the run in which it does; or
     * NULL. */
    struct co4__thread_state *outer;
    const struct co4__run *run;
    struct {
        void *block;  /* as allocated */
        char *at;     /* the variables */
        long outside; /* co4_abi_locals of what it has interrupted, as is `outside` below */
    } locals;
    struct {
        fenv_t own, outside;
    } modes;
    struct {
        uint64_t own, outside; /* blocked signals */
    } mask;
    struct {
        locale_t own, outside; /* `own`: 0 until the task has run */
    } locale;
};

#endif
