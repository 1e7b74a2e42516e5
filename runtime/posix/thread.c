/* thread.c - a thread that is a task, with --auto=threads: from its beginning to its join.
 *
 * The rules are in threads.c, whose calls use it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "core/local.h"
#include "posix/kills.h"
#include "posix/order.h"
#include "posix/self.h"
#include "posix/thread_state.h"
#include "posix/threads.h"
#include "sched/nested_steps.h"
#include "sched/runtime.h"

#include "co4/error.h"
#include "co4/local.h"
#include "co4/task.h"

/* ---- how many there are ---- */

/* The library has threads, too, so the end of the program's does not end the process. */
static atomic_size_t alive = 1; /* the thread of main */

void co4__thread_is_counted(void)
{
    atomic_fetch_add(&alive, 1);
}

void co4__thread_has_ended(void)
{
    if (atomic_fetch_sub(&alive, 1) == 1)
        exit(EXIT_SUCCESS);
}

/* The memory of threads that are gone. Each change is one store, so the child of a fork finds a
 * list that is whole. */
static struct {
    struct co4__posix_thread *first;
} gone; /* under co4__posix_guards.gone */

struct co4__posix_guards co4__posix_guards = { .runtime = PTHREAD_MUTEX_INITIALIZER,
                                               .gone = PTHREAD_MUTEX_INITIALIZER };

/* In the child of a fork. Where a task is its thread, the runtime of that task would end the
 * process with it, also if others go on. */
void co4__threads_are_gone(void)
{
    const co4_task *self = co4__posix_self();
    struct co4__nested_step step = co4__innermost_step();
    atomic_store(&alive, 1);
    co4__posix_guards.gone = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    while (step.task && step.task != self)
        step = co4__outer_step(step);
    if (step.task && co4__thread_of(step.task))
        step.worker->rt->run.is_lost = false;
}

/* ---- one of them ---- */

struct co4__posix_thread *co4__thread_new(void)
{
    pthread_mutex_lock(&co4__posix_guards.gone);
    struct co4__posix_thread *s = gone.first;
    if (s)
        gone.first = s->next;
    pthread_mutex_unlock(&co4__posix_guards.gone);
    if (!s) {
        static atomic_int numbers;
        s = co4__alloc(sizeof *s + (&co4__kills ? co4__kills.bytes : 0));
        if (s)
            s->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed);
    }
    if (s && &co4__kills)
        co4__kills.begins(s);
    return s;
}

void co4__thread_drop(struct co4__posix_thread *s)
{
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    co4_task_release(s->task);
    atomic_fetch_or_explicit(&s->state, CO4__THREAD_GONE, memory_order_release);
    pthread_mutex_lock(&co4__posix_guards.gone);
    s->next = gone.first;
    gone.first = s;
    pthread_mutex_unlock(&co4__posix_guards.gone);
}

_Noreturn void co4__thread_fails(const char *why)
{
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: ");
    co4__put(&text, why);
    co4__put(&text, "\n");
    co4__text_end(&text);
    abort();
}

/* The task has ended, and the functions of its end have run. */
static void end_thread(void *thread)
{
    struct co4__posix_thread *s = thread;
    if (!s->finished)
        co4__thread_fails("a thread that is a task has no memory to go on");
    if (&co4__kills)
        co4__kills.ends(s);
    co4__orders(CO4__ORDER_ENDS, s->task);
    atomic_fetch_or_explicit(&s->state, CO4__THREAD_ENDED, memory_order_release);
    co4__thread_drop(s);
    co4__thread_has_ended();
}

static const co4_task_local own = CO4_TASK_LOCAL(end_thread);

struct co4__posix_thread *co4__thread_of(co4_task *task)
{
    return co4__task_local_of(task, &own);
}

bool co4__thread_prepare(struct co4__posix_thread *s)
{
    if (co4__thread_state_begins && !co4__thread_state_begins(s->task))
        return false;
    if (co4__task_local_give(s->task, &own, s) == CO4_OK)
        return true;
    if (co4__extension_of(s->task))
        co4__task_local_end(co4__extension_of(s->task));
    return false;
}

int co4__thread_take(struct co4__posix_thread *s)
{
    unsigned was = atomic_fetch_or_explicit(&s->state, CO4__THREAD_TAKEN, memory_order_relaxed);
    if (!(was & CO4__THREAD_TAKEN))
        co4__orders(CO4__ORDER_TAKEN, s->task);
    return !(was & CO4__THREAD_TAKEN) ? 0 : was & CO4__THREAD_GONE ? ESRCH : EINVAL;
}

/* Pairs with the end of the thread. */
bool co4__thread_has_value(struct co4__posix_thread *s)
{
    return atomic_load_explicit(&s->state, memory_order_acquire) & CO4__THREAD_ENDED;
}

void co4__thread_leave(struct co4__posix_thread *s)
{
    atomic_fetch_and_explicit(&s->state, ~(unsigned)CO4__THREAD_TAKEN, memory_order_relaxed);
    co4__orders(CO4__ORDER_LEFT, s->task);
}

void co4__thread_gives_up(struct co4__posix_thread *s, void *value)
{
    s->value = value;
    s->finished = true;
    co4__task_set_error(s->task, CO4_ECANCELED);
}

void co4__thread_joined(struct co4__posix_thread *s, void **result)
{
    co4__orders(CO4__ORDER_JOINED, s->task);
    if (result)
        *result = s->value;
    co4__thread_drop(s);
}
