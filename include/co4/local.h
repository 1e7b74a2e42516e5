/* co4/local.h - task-local storage: a value that each task has for itself.
 *
 *     static const co4_task_local request = CO4_TASK_LOCAL(free);      the key is its address
 *     …
 *     int err = co4_task_local_set(&request, strdup(line));
 *     log_line(co4_task_local_get(&request));                          however deep, on any thread
 *
 * It replaces the thread-local variables of a program of threads: a task may resume on another
 * thread after each pause, and leaves thread-local variables behind. */
#ifndef CO4_LOCAL_H
#define CO4_LOCAL_H

#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: the calling task.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* A key. When a task ends, `destroy` is called with its value, unless one of them is NULL: after
 * the calls of co4_defer(), on the thread that ends the task. It may not pause. */
typedef struct co4_task_local {
    void (*destroy)(void *value);
} co4_task_local;

/* Initializes a key: destroy_ is its function, or NULL. */
#define CO4_TASK_LOCAL(destroy_)                                                                   \
    {                                                                                              \
        destroy_                                                                                   \
    }

/* The calling task's value. Its time grows with the number of the task's values.
 *
 * Returns: the value; NULL when it has none, and outside tasks. */
void *co4_task_local_get(const co4_task_local *key);

/* Sets the calling task's value.
 *
 * Returns: CO4_OK; CO4_ENOMEM; CO4_ESTATE outside tasks; CO4_EINVAL for NULL.
 * Ownership: the task has the value until it ends or the value is set again. The former value is
 *     the caller's, and is not destroyed. */
CO4_MUST_USE int co4_task_local_set(const co4_task_local *key, void *value);

#ifdef __cplusplus
}
#endif

#endif
