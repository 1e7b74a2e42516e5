/* thread_state.h - state of a thread that a task has for itself; for modules.c and its parts. */
#ifndef CO4_POSIX_THREAD_STATE_H
#define CO4_POSIX_THREAD_STATE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "core/task.h"
#include "core/task_extension.h"

struct co4__thread_state;

/* A part of it, in a file of its own, which a program has if it uses that part. */
struct co4__thread_part {
    void (*state)(co4_task *task,
                  enum co4__as_thread what);     /* co4__as_thread(): so the program has that */
    bool (*begins)(struct co4__thread_state *s); /* false: out of memory */
    void (*comes)(struct co4__thread_state *s);
    void (*goes)(struct co4__thread_state *s); /* or NULL, as may be the next */
    void (*ends)(struct co4__thread_state *s);
    /* The first task of a co4_run, which is the thread that has called it; or NULL. */
    void (*in_run)(co4_task *main, enum co4__as_thread what);
};

/* A program may lack each of them. */
extern CO4__IF_LINKED const struct co4__thread_part co4__part_locals, co4__part_modes,
    co4__part_locale, co4__part_masks, co4__part_kills, co4__part_cancels;

void co4__as_thread(co4_task *task, enum co4__as_thread what);

/* Makes the state of a task that is not scheduled yet, of which the caller asks in time whether
 * there is memory. NULL: the program has no such states. */
extern CO4__IF_LINKED bool co4__thread_state_begins(co4_task *task);

#endif
