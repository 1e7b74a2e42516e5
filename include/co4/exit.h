/* co4/exit.h - learning that a task has ended: by a message, or as one case of a select.
 *
 *     co4_mailbox *ends = co4_mailbox_create(sizeof(co4_exit), 100);
 *     for (int i = 0; i < n && err == CO4_OK; i++)
 *         err = co4_task_notify_exit(worker[i], ends, &job[i]);
 *     …
 *     co4_exit e;
 *     while (co4_mailbox_receive(ends, &e) == CO4_OK)
 *         look_at(e.tag, e.error);
 * */
#ifndef CO4_EXIT_H
#define CO4_EXIT_H

#include "mailbox.h"
#include "mark.h"
#include "source.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread that has a reference to the task, or knows that the task has
 *     not ended.
 * Ownership: the task and the mailbox stay their owners'.
 * Since: 0.1. */

/* A notice that a task has ended: the message of co4_task_notify_exit(). */
typedef struct co4_exit {
    const co4_task *task; /* only to compare: without a reference it may be freed */
    int error;            /* as co4_task_error() */
    int cancelled;        /* as co4_task_cancelled() */
    void *tag;            /* as given to co4_task_notify_exit() */
    char name[CO4_TASK_NAME_BYTES];
} co4_exit;

/* Has a co4_exit sent to the mailbox when `task` ends, or at once if it has ended. Each call asks
 * for one notice. The mailbox's elements are co4_exit or larger, a union that begins with one, say;
 * the rest of an element is zero.
 *
 * A notice has its memory from this call on, and is never lost. If the mailbox is full the notice
 * waits in it for room, like a task that sends; the task may be freed meanwhile. Only a closed
 * mailbox gets none. A task that is dropped without having been scheduled has not ended, and sends
 * none. The task's co4_defer() calls have been made by then; co4_task_state_of() may need another
 * moment to say that it has stopped.
 *
 * Returns: CO4_OK; CO4_ENOMEM, and there will be no notice; CO4_EINVAL.
 * Ownership: the mailbox must stay until the notice has come or is taken back; while one waits in
 *     it, co4_mailbox_destroy() is CO4_EBUSY. */
CO4_MUST_USE int co4_task_notify_exit(co4_task *task, co4_mailbox *mailbox, void *tag);

/* Takes back all notices to this mailbox that have not been sent.
 *
 * Returns: CO4_OK; CO4_ESTATE when there is none, or it is being sent; CO4_EINVAL. */
int co4_task_forget_exit(co4_task *task, co4_mailbox *mailbox);

/* The task's end as a source (source.h), ready from the end on. It has no value.
 *
 * Returns: the source, whose code is co4_task_error(); NULL when out of memory, and for NULL.
 * Ownership: the caller has a reference to the task until the wait is over. */
co4_source *co4_task_source(co4_task *task);

#ifdef __cplusplus
}
#endif

#endif
