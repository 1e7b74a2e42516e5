/* thread_state.c - state of a thread that a task has for itself: thread-locals, modes of floating
 * point, the locale, the mask of signals.
 *
 * Purpose: to code of POSIX a task is a thread (self.c). Before a task runs on a thread, its state
 * comes there; when it stops, that of what it has interrupted comes back: of the thread itself, or
 * of another task, whose plain call has begun a run. The first task of a co4_run is the thread that
 * has called it, so it has no state of its own.
 *
 * Invariants: the states that are on a thread form a list, the innermost first. The state of a task
 * is its first task-local value, so it ends after what the end of the task calls.
 *
 * Concurrency: only the thread that runs a task accesses its state. */
#define _GNU_SOURCE
#include "posix/thread_state.h"

#include <stddef.h>

#include "base/alloc.h"
#include "core/local.h"
#include "core/task.h"
#include "platform/thread.h"
#include "posix/thread_part.h"
#include "sched/runtime.h"

#include "co4/error.h"

static const struct co4__thread_part *const parts[] = { &co4__part_locals, &co4__part_modes,
                                                        &co4__part_locale, &co4__part_masks,
                                                        &co4__part_kills,  &co4__part_cancels };
enum { PARTS = sizeof parts / sizeof *parts };

static _Thread_local struct co4__thread_state *innermost;

static void go(struct co4__thread_state *s)
{
    for (int i = PARTS - 1; i >= 0; i--)
        if (parts[i] && parts[i]->goes)
            parts[i]->goes(s);
    innermost = s->outer;
}

/* A longjmp may have left runs inside the task: their states go, too. */
static void go_up_to(const co4_task *task, bool waits)
{
    struct co4__thread_state *s = innermost;
    while (s && s->task != task)
        s = s->outer;
    while (s && innermost != s)
        go(innermost);
    if (s)
        s->waits = waits;
    if (s)
        go(innermost);
}

static void end_state(void *state)
{
    struct co4__thread_state *s = state;
    go_up_to(s->task, false);
    for (int i = 0; i < PARTS; i++)
        if (parts[i] && parts[i]->ends)
            parts[i]->ends(s);
    co4__free(s);
}

static const co4_task_local own = CO4_TASK_LOCAL(end_state);

/* NULL: out of memory. */
static struct co4__thread_state *make_state(co4_task *t)
{
    struct co4__thread_state *s = co4__alloc(sizeof *s);
    if (!s)
        return NULL;
    s->task = t;
    bool begun = true;
    for (int i = 0; begun && i < PARTS; i++)
        begun = !parts[i] || !parts[i]->begins || parts[i]->begins(s);
    if (begun && co4__task_local_give(t, &own, s) == CO4_OK)
        return s;
    end_state(s);
    return NULL;
}

/* Without memory for its state, a task that has not begun fails; one that has ended calls the
 * functions of its end with the thread's. */
static void come(co4_task *t)
{
    const struct co4__local *here = co4__local();
    if (t->fiber.kind == CO4__KIND_RUN)
        return;
    struct co4__thread_state *s = co4__task_local_of(t, &own);
    if (!s)
        s = make_state(t);
    if (!s) {
        if (t->fiber.error == CO4_OK)
            co4__task_set_error(t, CO4_ENOMEM);
        return;
    }
    s->outer = innermost;
    s->run = here->run.innermost;
    innermost = s;
    for (int i = 0; i < PARTS; i++)
        if (parts[i])
            parts[i]->comes(s);
}

bool co4__thread_state_begins(co4_task *task)
{
    return co4__task_local_of(task, &own) || make_state(task);
}

void co4__as_thread(co4_task *task, enum co4__as_thread what)
{
    for (int i = 0; task && task->fiber.kind == CO4__KIND_RUN && i < PARTS; i++)
        if (parts[i] && parts[i]->in_run)
            parts[i]->in_run(task, what);
    switch (what) {
    case CO4__BEGINS: /* in its creator; without memory there is another attempt when it comes */
        co4__thread_state_begins(task);
        break;
    case CO4__COMES:
        come(task);
        break;
    case CO4__GOES:
        go_up_to(task, false);
        break;
    case CO4__GOES_TO_WAIT:
        go_up_to(task, true);
        break;
    case CO4__RUN_LEFT:
        while (innermost && innermost->run != co4__local()->run.innermost)
            go(innermost);
    }
}
