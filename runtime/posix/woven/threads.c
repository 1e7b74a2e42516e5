/* threads.c - the tasks of threads, with --auto=threads: pausable C. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/inside.h"
#include "posix/blocks.h"
#include "posix/kills.h"
#include "posix/point.h"
#include "posix/threads.h"

#include "co4/error.h"
#include "co4/posix.h"
#include "co4/sync.h"
#include "co4/task.h"
#include "co4/time.h"

CO4__INSIDE pausable void co4_posix_pthread_testcancel(void)
{
#ifdef CO4_PLAIN
    pthread_testcancel();
#else
    co4__posix_point();
#endif
}

/* A cancellation that waits for one of these ends the thread here, with the asynchronous type. */
static pausable void end_at_once(void)
{
#ifndef CO4_PLAIN
    if (co4__posix_ends_at_once())
        co4__posix_point();
#endif
}

CO4__INSIDE pausable int co4_posix_pthread_setcancelstate(int state, int *before)
{
    int err = pthread_setcancelstate(state, before);
    end_at_once();
    return err;
}

CO4__INSIDE pausable int co4_posix_pthread_setcanceltype(int type, int *before)
{
    int err = pthread_setcanceltype(type, before);
    end_at_once();
    return err;
}

/* locks.c: what co4_posix_pthread_join() calls for such a thread, once there is one. */
extern pausable int (*co4__join_made)(struct co4__posix_thread *thread, void **result);

#ifndef CO4_PLAIN /* there are no tasks */

typedef pausable void *start_function(void *arg);
typedef pausable int start_of_c11(void *arg);

static pausable void run_thread(struct co4__posix_thread *s)
{
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

/* A task that is cancelled waits nevertheless, as a thread would. Without memory for a wait, it
 * looks again and again. */
static pausable int wait_for_value(struct co4__posix_thread *s)
{
    int shielded = co4_shield_begin();
    while (!co4__thread_has_value(s)) {
        static const struct timespec soon = { 0, 1000000 };
        co4__kills_open();
        co4_task_join(s->task);
        if (!co4__kills_close() && !co4__thread_has_value(s) && co4_sleep(CO4_MS) != CO4_OK)
            co4__clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL);
    }
    if (shielded == CO4_OK)
        co4_shield_end();
    return CO4_OK;
}

void co4__thread_wait(struct co4__posix_thread *s)
{
    static const struct timespec soon = { 0, 1000000 };
    if (!co4__thread_has_value(s))
        (void)co4_run(wait_for_value(s));
    while (!co4__thread_has_value(s)) /* there was no memory for a run */
        co4__clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL);
}

/* Not by the clock, which would jump there where the others are deadlocked. */
static pausable int rest(void)
{
    static co4_sem never = CO4_SEM_INIT(0);
    int err = CO4_OK;
    while (err == CO4_OK)
        err = co4_sem_acquire(&never);
    return err;
}

void co4__first_rests(void)
{
    (void)co4_run(rest());
}

static void leave(struct co4__posix_thread **s)
{
    if (*s)
        co4__thread_leave(*s);
}

static pausable int join_made(struct co4__posix_thread *s, void **result)
{
    int err = co4__thread_take(s);
    if (err != 0)
        return err;
    __attribute__((cleanup(leave))) struct co4__posix_thread *joins = s;
    bool ended; /* by a signal to the caller */
    do {        /* a cancellation point */
        co4__kills_open();
        ended = co4_task_join(s->task) == CO4_ECANCELED;
        ended = co4__kills_close() && ended;
    } while (ended);
    wait_for_value(s);
    joins = NULL;
    co4__thread_joined(s, result);
    return 0;
}

void co4__threads_begin(void)
{
    co4__join_made = join_made;
}

co4_task *co4__thread_task(struct co4__posix_thread *s)
{
    return co4_task_create(run_thread(s));
}

#endif
