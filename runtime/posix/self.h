/* self.h - which thread a task is to code of POSIX. */
#ifndef CO4_POSIX_SELF_H
#define CO4_POSIX_SELF_H

#include <pthread.h>
#include <stdint.h>

#include "co4/task.h"

/* Returns the calling task if it is a thread of its own. NULL outside tasks, and in the first task
 * of a co4_run(): that one is the thread, or the task, that has called co4_run(); but for a
 * simulation. */
co4_task *co4__posix_self(void);

/* The same, but of the first task of a co4_run() that no task has called: that one. */
co4_task *co4__posix_caller(void);

/* Of a task that is no thread of threads.c. */
static inline pthread_t co4__pthread_of_task(const co4_task *task)
{
    return (pthread_t)((uintptr_t)task | 1);
}

/* In a simulation the task of main has ended by pthread_exit(): it may be joined. */
void co4__first_has_ended(void *value);

/* Returns what a call that makes no sense of a task returns: EINVAL, but `of_itself` of the calling
 * one. 0: it is no task. */
int co4__posix_of_task(pthread_t thread, int of_itself);

#endif
