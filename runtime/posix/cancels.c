/* cancels.c - pthread_cancel() and its states, with --auto=threads.
 *
 * Purpose: a task that is a thread ends by pthread_cancel() as a thread does: at its next call that
 * is a cancellation point, or in the wait of one, unless it has disabled that. Its activations are
 * given up, with which the handlers of pthread_cleanup_push() and of the cleanup attribute run. The
 * link turns the calls below into these, in all objects and archives. A program that makes none of
 * them does not have this file.
 *
 * A canceller sets `cancelled`, and ends the wait of the task (core/cancel.h). Before the next step
 * of a task whose wait was ended so, this file gives it up. A call that might not wait asks first,
 * by co4__posix_point(). What is no cancellation point waits behind a shield, as does all else
 * while the state is PTHREAD_CANCEL_DISABLE. The type PTHREAD_CANCEL_ASYNCHRONOUS makes each step
 * one in which the task may end: where it yields, too.
 *
 * Concurrency: `cancelled` is set by any thread, before it ends the wait, which the next step comes
 * after. All else is the task's own. Model: tests/model/cancels.pml. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/table.h"
#include "core/cancel.h"
#include "core/task.h"
#include "posix/point.h"
#include "posix/self.h"
#include "posix/thread_part.h"
#include "posix/threads.h"
#include "posix/wraps.h"
#include "sched/nested_steps.h"

#include "co4/error.h"

CO4__WRAPS(pthread_cancel, (pthread_t thread));
CO4__WRAPS(pthread_setcancelstate, (int state, int *before));
CO4__WRAPS(pthread_setcanceltype, (int type, int *before));

/* ---- threads that are no tasks ---- */

/* Such a thread may wait in a run, where the C library's cancellation must not end it: the library
 * holds what others need. So that is disabled there, and a canceller ends the wait; then the thread
 * asks the C library. What is left of the run is as after a longjmp over it. */
struct waiting {
    struct co4__table_node node; /* by its pthread_t */
    co4_task *main;              /* the first task of the run */
    bool listed;                 /* the thread's own */
};

static struct {
    pthread_mutex_t guard;
    struct co4__table threads;
    pthread_key_t key; /* its value is set in a thread that has ever waited */
} waiting = { .guard = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct waiting mine;

static void hold_list(void)
{
    pthread_mutex_lock(&waiting.guard);
}

static void free_list(void)
{
    pthread_mutex_unlock(&waiting.guard);
}

/* No thread of the parent waits here. */
static void forget_all(void)
{
    pthread_mutex_init(&waiting.guard, NULL);
    memset(&waiting.threads, 0, sizeof waiting.threads); /* the caller does not wait */
}

static void unlist_thread(void)
{
    hold_list();
    co4__table_remove(&waiting.threads, &mine.node);
    free_list();
    mine.listed = false;
}

/* It ends where it asks for its cancellation. */
static void end_thread(void *set)
{
    (void)set;
    if (mine.listed)
        unlist_thread();
}

__attribute__((constructor(102))) static void prepare_forks(void)
{
    pthread_atfork(hold_list, free_list, forget_all);
    pthread_key_create(&waiting.key, end_thread);
}

static void list_thread(co4_task *main)
{
    mine.main = main;
    mine.listed = true;
    pthread_setspecific(waiting.key, &mine);
    hold_list();
    co4__table_add_growing(&waiting.threads, &mine.node, (uintptr_t)pthread_self());
    free_list();
}

static int cancel_thread(pthread_t thread)
{
    int err = __real_pthread_cancel(thread);
    hold_list();
    struct co4__table_node *n = co4__table_find(&waiting.threads, (uintptr_t)thread);
    if (n)
        co4__cut(((struct waiting *)(void *)n)->main);
    free_list();
    return err;
}

/* A canceller that has not found the thread in the list has called the C library before. */
static void thread_waits(co4_task *main)
{
    int state;
    if (co4__worker_outside(co4__local()->worker)) /* the run is inside a task */
        return;
    __real_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (state == PTHREAD_CANCEL_DISABLE)
        return;
    list_thread(main);
    __real_pthread_setcancelstate(state, NULL);
    pthread_testcancel();
    __real_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static void thread_goes_on(void)
{
    if (!mine.listed)
        return;
    unlist_thread();
    __real_pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
}

static void in_run(co4_task *main, enum co4__as_thread what)
{
    if (what == CO4__GOES_TO_WAIT)
        thread_waits(main);
    else if (what == CO4__COMES)
        thread_goes_on();
}

int __wrap_pthread_cancel(pthread_t thread)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (!made) {
        int err = co4__posix_of_task(thread, ENOTSUP);
        return err != 0 ? err : cancel_thread(thread);
    }
    if (co4__thread_is_gone(made))
        return ESRCH;
    atomic_store(&made->cancelled, true);
    co4__cut(made->task);
    return 0;
}

/* ---- the calling thread ---- */

/* NULL: it is a thread, or a task that is none. */
static struct co4__posix_thread *calling(co4_task **task)
{
    *task = co4__posix_self();
    return *task ? co4__thread_of(*task) : NULL;
}

int __wrap_pthread_setcancelstate(int state, int *before)
{
    co4_task *task;
    struct co4__posix_thread *s = calling(&task);
    if (!s)
        return __real_pthread_setcancelstate(state, before);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    bool disable = state == PTHREAD_CANCEL_DISABLE;
    if (before)
        *before = s->disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    if (disable && !s->disabled)
        task->fiber.shields++;
    if (!disable && s->disabled)
        task->fiber.shields--;
    s->disabled = disable;
    return 0;
}

int __wrap_pthread_setcanceltype(int type, int *before)
{
    co4_task *task;
    struct co4__posix_thread *s = calling(&task);
    if (!s)
        return __real_pthread_setcanceltype(type, before);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (before)
        *before = s->at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    s->at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    return 0;
}

/* ---- its end ---- */

static bool is_due(const struct co4__posix_thread *s, const co4_task *task)
{
    return atomic_load_explicit(&s->cancelled, memory_order_relaxed) && task->fiber.shields == 0;
}

/* The thread whose task is about to run. */
static void cancels_come(struct co4__thread_state *state)
{
    co4_task *task = state->task;
    struct co4__posix_thread *s = co4__thread_of(task);
    if (!s || !is_due(s, task) || s->notified)
        return;
    if (s->at_once || (state->waits && task->fiber.result.i == CO4_ECANCELED))
        co4__thread_gives_up(s, PTHREAD_CANCELED);
}

bool co4__cancels_now(co4_task *task)
{
    struct co4__posix_thread *s = co4__thread_of(task);
    if (!s || !is_due(s, task))
        return false;
    co4__thread_gives_up(s, PTHREAD_CANCELED);
    return true;
}

bool co4__cancels_notify(co4_task *task, bool notified)
{
    struct co4__posix_thread *s = co4__thread_of(task);
    if (!s || task->fiber.shields > 0)
        return false;
    s->notified = notified;
    return true;
}

bool co4__cancels_at_once(co4_task *task)
{
    const struct co4__posix_thread *s = co4__thread_of(task);
    return s && s->at_once;
}

const struct co4__thread_part co4__part_cancels = {
    co4__as_thread, NULL, cancels_come, NULL, NULL, in_run,
};
