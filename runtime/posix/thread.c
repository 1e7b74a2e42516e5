/* thread.c - a thread that is a task, with --auto=threads: from its beginning to its join.
 *
 * The rules are in threads.c, whose calls use it. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "core/local.h"
#include "platform/thread.h"
#include "posix/self.h"
#include "posix/threads.h"

#include "co4/error.h"
#include "co4/local.h"

/* ---- how many there are ---- */

/* The process goes on until all threads have ended, which the first thread may wait for. */
static struct {
    atomic_size_t alive;
    atomic_bool awaited;
    pthread_mutex_t guard;
    pthread_cond_t changed;
} alive = { .guard = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

void co4__thread_is_counted(void)
{
    atomic_fetch_add(&alive.alive, 1);
}

/* Pairs with co4__threads_wait(), which sets `awaited` before it looks. */
void co4__thread_has_ended(void)
{
    if (atomic_fetch_sub(&alive.alive, 1) != 1 || !atomic_load(&alive.awaited))
        return;
    pthread_mutex_lock(&alive.guard);
    pthread_cond_broadcast(&alive.changed);
    pthread_mutex_unlock(&alive.guard);
}

/* In the child of a fork, which has the calling thread alone. */
void co4__threads_are_gone(void)
{
    co4_task *task = co4__posix_self();
    atomic_store(&alive.alive, task && co4__thread_of(task) ? 1 : 0);
    atomic_store(&alive.awaited, false);
    alive.guard = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    alive.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/* The library has threads, too, so the end of the program's does not end the process. */
_Noreturn void co4__threads_wait(void)
{
    pthread_mutex_lock(&alive.guard);
    atomic_store(&alive.awaited, true);
    while (atomic_load(&alive.alive) > 0)
        pthread_cond_wait(&alive.changed, &alive.guard);
    pthread_mutex_unlock(&alive.guard);
    exit(0);
}

/* ---- one of them ---- */

void co4__thread_drop(struct co4__posix_thread *s)
{
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    co4_task_release(atomic_load_explicit(&s->task, memory_order_relaxed));
    co4__free(s);
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
    atomic_fetch_or_explicit(&s->state, CO4__THREAD_ENDED, memory_order_release);
    co4__thread_drop(s);
    co4__thread_has_ended();
}

static const co4_task_local own = CO4_TASK_LOCAL(end_thread);

struct co4__posix_thread *co4__thread_of(co4_task *task)
{
    return co4__task_local_of(task, &own);
}

void co4__thread_begins(struct co4__posix_thread *s)
{
    if (co4__task_local_give(co4__local()->current, &own, s) != CO4_OK)
        co4__thread_fails("a thread that is a task has no memory to begin");
}

co4_task *co4__thread_task(struct co4__posix_thread *s)
{
    co4_task *task;
    while (!(task = atomic_load_explicit(&s->task, memory_order_acquire)))
        sched_yield(); /* its creator is about to write it */
    return task;
}

bool co4__thread_take(struct co4__posix_thread *s)
{
    return !(atomic_fetch_or_explicit(&s->state, CO4__THREAD_TAKEN, memory_order_acq_rel) &
             CO4__THREAD_TAKEN);
}

void co4__thread_leave(struct co4__posix_thread *s)
{
    atomic_fetch_and_explicit(&s->state, ~(unsigned)CO4__THREAD_TAKEN, memory_order_release);
}

void co4__thread_gives_up(struct co4__posix_thread *s, void *value)
{
    s->value = value;
    s->finished = true;
    co4__task_set_error(co4__thread_task(s), CO4_ECANCELED);
}

void co4__thread_joined(struct co4__posix_thread *s, void **result)
{
    if (!s->finished)
        co4__thread_fails("a thread that is a task has no memory to begin");
    if (result)
        *result = s->value;
    co4__thread_drop(s);
}
