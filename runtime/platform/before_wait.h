/* before_wait.h - what a thread does when the step of its task ends, and before it blocks. */
#ifndef CO4_BEFORE_WAIT_H
#define CO4_BEFORE_WAIT_H

#include "base/compiler.h"
#include "platform/thread.h"

struct co4__before_wait {
    struct co4__before_wait *next;
    /* Called once, on the thread that has added it. May free it. */
    void (*run)(struct co4__before_wait *e);
};

static inline void co4__before_wait_add(struct co4__before_wait *e)
{
    struct co4__local *here = co4__local();
    e->next = here->before_wait;
    here->before_wait = e;
}

void co4__before_wait_run(void); /* in the order in which they were added */

/* Inline, since each step looks. */
static inline void co4__before_wait(const struct co4__local *here)
{
    if (CO4__UNLIKELY(here->before_wait != NULL))
        co4__before_wait_run();
}

#endif
