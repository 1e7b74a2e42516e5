/* threads.c - the tasks of threads, with --auto=threads: pausable C. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/inside.h"
#include "posix/point.h"
#include "posix/threads.h"

#include "co4/posix.h"
#include "co4/runtime.h"
#include "co4/task.h"

CO4__INSIDE pausable void co4_posix_pthread_testcancel(void)
{
#ifdef CO4_PLAIN
    pthread_testcancel();
#else
    co4__posix_point();
#endif
}

/* locks.c: what co4_posix_pthread_join() calls for such a thread, once there is one. */
extern pausable int (*co4__join_made)(struct co4__posix_thread *thread, void **result);

#ifndef CO4_PLAIN /* there are no tasks */

typedef pausable void *start_function(void *arg);
typedef pausable int start_of_c11(void *arg);

static pausable void run_thread(struct co4__posix_thread *s)
{
    co4__thread_begins(s);
    if (s->of_c11) {
        start_of_c11 *start;
        memcpy(&start, &s->start, sizeof start);
        s->value = (void *)(intptr_t)start(s->arg);
    } else {
        start_function *start;
        memcpy(&start, &s->start, sizeof start);
        s->value = start(s->arg);
    }
    s->finished = true;
}

void co4__thread_wait(co4_task *task)
{
    (void)co4_run(co4_task_join(task));
}

static void leave(struct co4__posix_thread **s)
{
    if (*s)
        co4__thread_leave(*s);
}

/* pthread_cancel() ends the wait. A task that is cancelled otherwise waits nevertheless, as a
 * thread would. */
static pausable int join_made(struct co4__posix_thread *s, void **result)
{
    if (!co4__thread_take(s))
        return EINVAL;
    __attribute__((cleanup(leave))) struct co4__posix_thread *joins = s;
    if (co4_task_join(co4__thread_task(s)) != CO4_OK) {
        int shielded = co4_shield_begin(); /* perhaps it has waited: then it does not once more */
        co4_task_join(co4__thread_task(s));
        if (shielded == CO4_OK)
            co4_shield_end();
    }
    joins = NULL;
    co4__thread_joined(s, result);
    return 0;
}

co4_task *co4__thread_spawn(co4_runtime *rt, struct co4__posix_thread *s)
{
    co4__join_made = join_made;
    return co4_runtime_spawn(rt, run_thread(s));
}

#endif
