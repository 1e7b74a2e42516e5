/* self.c - to code of POSIX a task is a thread: its pthread_t, and what is done with it.
 *
 * Purpose: libraries keep pthread_self() to know their owner again. So it is the task's own: its
 * address, made odd, as no thread of the C library has. It stays the same on all workers, and no
 * other task has it before this one has ended. The link turns the calls below into these, in all
 * objects and archives; the C library would take such a number for an address. Of the calling task
 * they mean the thread that it runs on, where that makes sense; of another task they fail. Nothing
 * else refers to this file. */
#define _GNU_SOURCE
#include "posix/self.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "core/task.h"
#include "posix/deadline.h"
#include "posix/decides.h"
#include "posix/processes.h"
#include "posix/threads.h"
#include "posix/wraps.h"

enum { NAME_BYTES = 16 }; /* of the name of a thread, in Linux */

/* ---- identities ---- */

pthread_t __real_pthread_self(void);
pthread_t __wrap_pthread_self(void);
thrd_t __wrap_thrd_current(void);

static bool is_task(pthread_t thread)
{
    return ((uintptr_t)thread & 1) != 0;
}

static pthread_t thread_of(co4_task *task)
{
    pthread_t made = &co4__posix_threads ? co4__posix_threads.of_task(task) : 0;
    return made ? made : co4__pthread_of_task(task);
}

pthread_t __wrap_pthread_self(void)
{
    co4_task *task = co4__posix_self();
    return task ? thread_of(task) : __real_pthread_self();
}

thrd_t __wrap_thrd_current(void)
{
    return __wrap_pthread_self();
}

/* Puts the thread in the place of the calling task. Returns 0; ESRCH: there is no such task;
 * EINVAL: it is another one. */
static int find(pthread_t *thread)
{
    if (!is_task(*thread))
        return 0;
    co4_task *task = co4__posix_self();
    const struct co4__posix_thread *made = co4__posix_thread_of(*thread);
    if (!task || *thread != thread_of(task))
        return made && co4__thread_is_gone(made) ? ESRCH : EINVAL;
    *thread = __real_pthread_self();
    return 0;
}

/* ---- what is done with them ---- */

CO4__WRAPS(pthread_getschedparam, (pthread_t thread, int *policy, struct sched_param *parameter));
CO4__WRAPS(pthread_setschedparam,
           (pthread_t thread, int policy, const struct sched_param *parameter));
CO4__WRAPS(pthread_setschedprio, (pthread_t thread, int priority));
CO4__WRAPS(pthread_getcpuclockid, (pthread_t thread, clockid_t *clock));
CO4__MAY_WRAP(pthread_getaffinity_np, (pthread_t thread, size_t bytes, cpu_set_t *processors));
CO4__MAY_WRAP(pthread_setaffinity_np,
              (pthread_t thread, size_t bytes, const cpu_set_t *processors));
CO4__MAY_WRAP(pthread_getattr_np, (pthread_t thread, pthread_attr_t *attributes));
CO4__WRAPS(pthread_join, (pthread_t thread, void **result));
CO4__MAY_WRAP(pthread_tryjoin_np, (pthread_t thread, void **result));
CO4__MAY_WRAP(pthread_timedjoin_np,
              (pthread_t thread, void **result, const struct timespec *until));
CO4__MAY_WRAP(pthread_clockjoin_np,
              (pthread_t thread, void **result, clockid_t clock, const struct timespec *until));
CO4__WRAPS(pthread_detach, (pthread_t thread));

/* ---- scheduling: threads that are tasks have what their workers have ---- */

/* Returns whether the thread is such a task, and sets *err: 0, or ESRCH. */
static bool is_scheduled(pthread_t thread, int *err)
{
    const struct co4__posix_thread *made = co4__posix_thread_of(thread);
    *err = made && co4__thread_is_gone(made) ? ESRCH : 0;
    return made != NULL;
}

int __wrap_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameter)
{
    int err;
    if (is_scheduled(thread, &err)) {
        struct co4__scheduling s = co4__posix_threads.scheduling();
        *policy = s.policy;
        parameter->sched_priority = s.priority;
        return err;
    }
    err = find(&thread);
    return err != 0 ? err : __real_pthread_getschedparam(thread, policy, parameter);
}

int __wrap_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameter)
{
    int err;
    if (is_scheduled(thread, &err)) {
        struct co4__scheduling s = co4__posix_threads.scheduling();
        bool has = policy == s.policy && parameter->sched_priority == s.priority;
        return err != 0 || has ? err : ENOTSUP;
    }
    err = find(&thread);
    return err != 0 ? err : __real_pthread_setschedparam(thread, policy, parameter);
}

int __wrap_pthread_setschedprio(pthread_t thread, int priority)
{
    int err;
    if (is_scheduled(thread, &err))
        return err != 0 || priority == co4__posix_threads.scheduling().priority ? err : ENOTSUP;
    err = find(&thread);
    return err != 0 ? err : __real_pthread_setschedprio(thread, priority);
}

int __wrap_pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *processors)
{
    int err;
    bool is_task = is_scheduled(thread, &err);
    if (co4__posix_processes && err == 0)
        return co4__posix_processes->affinity(co4__posix_place_of(thread), bytes, processors, NULL);
    if (is_task)
        thread = __real_pthread_self();
    else
        err = find(&thread);
    return err != 0 ? err : __real_pthread_getaffinity_np(thread, bytes, processors);
}

int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *processors)
{
    int err;
    bool is_task = is_scheduled(thread, &err);
    if (co4__posix_processes && err == 0)
        return co4__posix_processes->affinity(co4__posix_place_of(thread), bytes, NULL, processors);
    if (is_task)
        return err != 0 ? err : ENOTSUP;
    err = find(&thread);
    return err != 0 ? err : __real_pthread_setaffinity_np(thread, bytes, processors);
}

/* ---- more of the thread's ---- */

int __wrap_pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    int err = find(&thread);
    return err != 0 ? err : __real_pthread_getcpuclockid(thread, clock);
}

int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    int err = find(&thread);
    return err != 0 ? err : __real_pthread_getattr_np(thread, attributes);
}

/* ---- ends ---- */

/* A task that co4_spawn() has started cannot be joined, and its end needs no call. */
static int of_task(pthread_t thread, int of_itself)
{
    return find(&thread) == 0 ? of_itself : EINVAL;
}

int co4__posix_of_task(pthread_t thread, int of_itself)
{
    return is_task(thread) ? of_task(thread, of_itself) : 0;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (!is_task(thread))
        return __real_pthread_join(thread, result);
    int err = of_task(thread, EDEADLK);
    return made && err != EDEADLK ? co4__posix_threads.join(made, result) : err;
}

/* The thread of main, where it is one among others. */
static struct {
    void *value;
    bool has_ended, is_taken; /* it is joined or detached */
} first;

void co4__first_has_ended(void *value)
{
    first.value = value;
    first.has_ended = true;
}

static bool is_of_main(pthread_t thread)
{
    return co4__posix_first && thread == thread_of(co4__posix_first);
}

static int join_first(void **result)
{
    if (!first.has_ended || first.is_taken)
        return first.is_taken ? EINVAL : EBUSY;
    first.is_taken = true;
    if (result)
        *result = first.value;
    return 0;
}

int __wrap_pthread_tryjoin_np(pthread_t thread, void **result)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made)
        return co4__posix_threads.try_join(made, result);
    if (is_of_main(thread))
        return join_first(result);
    return is_task(thread) ? of_task(thread, EBUSY) : __real_pthread_tryjoin_np(thread, result);
}

/* Looks until it has ended, or the time has come: nothing tells of both. */
static int join_until(pthread_t thread, void **result, clockid_t clock,
                      const struct timespec *until)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    int err = of_task(thread, EDEADLK);
    if (!made || err == EDEADLK)
        return err;
    if (!until)
        return co4__posix_threads.join(made, result);
    while ((err = co4__posix_threads.try_join(made, result)) == EBUSY) {
        static const struct timespec pause = { 0, 1000000 };
        struct timespec now;
        if (!co4__is_timespec(until))
            return EINVAL;
        clock_gettime(clock, &now);
        if (now.tv_sec > until->tv_sec ||
            (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec))
            return ETIMEDOUT;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return err;
}

int __wrap_pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    return is_task(thread) ? join_until(thread, result, CLOCK_REALTIME, until)
                           : __real_pthread_timedjoin_np(thread, result, until);
}

int __wrap_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *until)
{
    if (!is_task(thread))
        return __real_pthread_clockjoin_np(thread, result, clock, until);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return join_until(thread, result, clock, until);
}

int __wrap_pthread_detach(pthread_t thread)
{
    if (is_of_main(thread)) {
        int err = first.is_taken ? EINVAL : 0;
        first.is_taken = true;
        return err;
    }
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made)
        return co4__posix_threads.detach(made);
    return is_task(thread) ? of_task(thread, 0) : __real_pthread_detach(thread);
}

/* ---- names ---- */

__attribute__((weak)) int __real_pthread_setname_np(pthread_t thread, const char *name);
int __wrap_pthread_setname_np(pthread_t thread, const char *name);
__attribute__((weak)) int __real_pthread_getname_np(pthread_t thread, char *name, size_t bytes);
int __wrap_pthread_getname_np(pthread_t thread, char *name, size_t bytes);

/* NULL: there is no such task. */
static co4_task *task_of(pthread_t thread)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made)
        return co4__thread_is_gone(made) ? NULL : made->task;
    return find(&thread) == 0 ? co4__posix_self() : NULL;
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name)
{
    if (!is_task(thread))
        return __real_pthread_setname_np(thread, name);
    if (!task_of(thread))
        return ESRCH;
    if (strlen(name) >= NAME_BYTES)
        return ERANGE;
    return co4_task_set_name(task_of(thread), name) == CO4_OK ? 0 : ENOMEM;
}

/* Without a name of its own it has that of its process, as the worker does. */
int __wrap_pthread_getname_np(pthread_t thread, char *name, size_t bytes)
{
    if (!is_task(thread))
        return __real_pthread_getname_np(thread, name, bytes);
    if (!task_of(thread))
        return ESRCH;
    if (bytes < NAME_BYTES)
        return ERANGE;
    return co4_task_name(task_of(thread), name, bytes) > 0
               ? 0
               : __real_pthread_getname_np(__real_pthread_self(), name, bytes);
}
