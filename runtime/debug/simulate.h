/* simulate.h - test mode, for those whose waits and clocks it takes over. */
#ifndef CO4_SIMULATE_H
#define CO4_SIMULATE_H

#include "internal.h"

#define CO4__LATE 64

/* What is simulated together: runtimes, their clock, their chance. One thread at a time is in
 * it. */
struct co4__world {
    unsigned users; /* runtimes in it, and the thread that has begun it */
    co4_test_options options;
    uint64_t chance;  /* numbers drawn */
    uint32_t numbers; /* of tasks */
    unsigned made;    /* runtimes */
    int64_t now;
    co4_test_result result;
    co4_runtime *runtimes; /* newest first */
    /* Tasks that are ready and not yet told so, by age. */
    struct co4__late {
        co4_task *task;
        uint64_t due; /* a step */
    } late[CO4__LATE];
    unsigned nlate;
};

/* A world of these options, or with NULL one more user of this thread's. CO4_OK, CO4_EINVAL,
 * CO4_ENOMEM. */
int co4__world_make(struct co4__world **out, const co4_test_options *options);
void co4__world_unref(struct co4__world *x); /* NULL: nothing */
/* The runtime is in it from here on; the caller's use of the world becomes the runtime's. leave
 * gives it back. */
void co4__world_enter(struct co4__world *x, co4_runtime *rt);
void co4__world_leave(co4_runtime *rt);

/* One step of one task, after whatever has to happen before there is one; the clock does not pass
 * `limit`. Steps made: 0, nothing can happen. */
int co4__world_go(struct co4__world *x, int64_t limit);
bool co4__world_idle(co4_runtime *rt); /* nothing of it is ready, nor will be by itself */
/* co4__parker_wait() by co4_now(); in test mode with steps meanwhile, and CO4_EDEADLK when there
 * are none. */
int co4__park_thread(struct co4__parker *p, int64_t deadline);

void co4__world_note(struct co4__worker *w, co4_task *t, co4_task_state state);
bool co4__world_keeps(co4_runtime *rt, co4_task *t); /* true: the task will be placed later */

void co4__sleep_block(int64_t deadline); /* the thread, by co4_now() */
unsigned co4__lot(void);                 /* which case a select looks at first */

#endif
