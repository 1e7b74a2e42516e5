/* co4/local.h - task-local storage: a value that each task has for itself.
 *
 *     static const co4_task_local request = CO4_TASK_LOCAL(free);      the key is its address
 *     …
 *     int err = co4_task_local_set(&request, strdup(line));
 *     log_line(co4_task_local_get(&request));                          however deep, on any thread
 *
 * For what a thread-local variable would hold in a program of threads: a task goes from thread to
 * thread at each pause, and leaves thread-local variables behind. */
#ifndef CO4_LOCAL_H
#define CO4_LOCAL_H

#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key. `destroy` is called with the value when its task ends, unless that is NULL: after the
 * calls of co4_defer(), on the thread that ends it; it may not pause. NULL: nothing is called. */
typedef struct co4_task_local {
    void (*destroy)(void *value);
} co4_task_local;

#define CO4_TASK_LOCAL(destroy_)                                                                   \
    {                                                                                              \
        destroy_                                                                                   \
    }

/* The calling task's value; NULL when it has none, and outside tasks. Never pauses. Takes as long
 * as the task has values. */
void *co4_task_local_get(const co4_task_local *key);

/* Sets it. The former value is the caller's again, and not destroyed. CO4_OK; CO4_ENOMEM;
 * CO4_ESTATE outside tasks; CO4_EINVAL. */
CO4_MUST_USE int co4_task_local_set(const co4_task_local *key, void *value);

#ifdef __cplusplus
}
#endif

#endif
