/* scheduling.c - which threads are no tasks, with --auto=threads, for how the system runs them.
 *
 * Purpose: all tasks have the policy, the priority and the processors of the workers, which are
 * those of the thread that has begun the first task. A thread that would have others begins as a
 * thread, and so does one with a mask of signals or a stack in its attributes: a stack that is
 * larger than a worker's, or the program's own memory. */
#define _GNU_SOURCE
#include "posix/scheduling.h"
#include "platform/real.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Other C libraries than glibc have none of these. */
__attribute__((weak)) int pthread_attr_getaffinity_np(const pthread_attr_t *attributes,
                                                      size_t bytes, cpu_set_t *processors);
__attribute__((weak)) int pthread_attr_getsigmask_np(const pthread_attr_t *attributes,
                                                     sigset_t *mask);
enum { NO_MASK = -1, RESET_ON_FORK = 0x40000000 }; /* of the last one, and of the system */

/* By system calls: glibc remembers what it has found once, and musl has no sched_getparam(). */
struct co4__scheduling co4__scheduling_here(void)
{
    struct sched_param parameter = { 0 };
    long policy = CO4__SYSTEM(syscall)(SYS_sched_getscheduler, 0);
    if (policy < 0 || (policy & RESET_ON_FORK) ||
        CO4__SYSTEM(syscall)(SYS_sched_getparam, 0, &parameter) != 0)
        return (struct co4__scheduling){ SCHED_OTHER, 0 };
    return (struct co4__scheduling){ (int)policy, parameter.sched_priority };
}

static bool needs_stack(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    size_t wanted = 0, has = 0;
    void *at = NULL;
    if (pthread_attr_getstacksize(attributes, &wanted) != 0 || pthread_attr_init(&usual) != 0)
        return false;
    pthread_attr_getstacksize(&usual, &has);
    pthread_attr_destroy(&usual);
    return wanted > has ||
           (pthread_attr_getstack(attributes, &at, &wanted) == 0 &&
            (uintptr_t)at + wanted != 0); /* without a place, glibc says what is below address 0 */
}

bool co4__has_processors(const pthread_attr_t *attributes, cpu_set_t *processors)
{
    cpu_set_t all;
    memset(&all, 0xff, sizeof all); /* which is what glibc says without a set */
    return pthread_attr_getaffinity_np &&
           pthread_attr_getaffinity_np(attributes, sizeof *processors, processors) == 0 &&
           !CPU_EQUAL(processors, &all);
}

bool co4__has_mask(const pthread_attr_t *attributes)
{
    sigset_t mask;
    return pthread_attr_getsigmask_np && pthread_attr_getsigmask_np(attributes, &mask) != NO_MASK;
}

/* What a thread with the attributes would have; its creator is no task. */
static struct co4__scheduling scheduling_of(const pthread_attr_t *attributes)
{
    int inherits = PTHREAD_INHERIT_SCHED;
    struct co4__scheduling s;
    struct sched_param parameter;
    if (!attributes || pthread_attr_getinheritsched(attributes, &inherits) != 0 ||
        inherits != PTHREAD_EXPLICIT_SCHED ||
        pthread_attr_getschedpolicy(attributes, &s.policy) != 0 ||
        pthread_attr_getschedparam(attributes, &parameter) != 0)
        return co4__scheduling_here();
    s.priority = parameter.sched_priority;
    return s;
}

bool co4__needs_thread(const pthread_attr_t *attributes, struct co4__scheduling workers)
{
    cpu_set_t processors;
    struct co4__scheduling s = scheduling_of(attributes);
    if (s.policy != workers.policy || s.priority != workers.priority)
        return true;
    return attributes && (needs_stack(attributes) || co4__has_processors(attributes, &processors) ||
                          co4__has_mask(attributes));
}
