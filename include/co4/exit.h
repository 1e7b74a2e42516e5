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

typedef struct co4_exit {
    const co4_task *task; /* only to compare: without a share in it it may be gone */
    int error;            /* as co4_task_error() */
    int cancelled;        /* as co4_task_cancelled() */
    void *tag;            /* what the one who asked gave along */
    char name[CO4_TASK_NAME_BYTES];
} co4_exit;

/* When `task` has ended, a co4_exit is sent to the mailbox; now, when it has ended before. As
 * often as it is asked for, and for as many mailboxes. The mailbox's elements are co4_exit or
 * larger, a union that begins with one, say: the rest is zero.
 *
 * A notice has its memory from here on and is never lost: when the mailbox is full it waits there
 * for room, like a task that sends, and the task is gone meanwhile. Only a mailbox that is closed
 * gets none. So that must be there until the notice has come, or been taken back; as long as one
 * waits in it, co4_mailbox_destroy() is CO4_EBUSY. A task that is released without ever having been
 * scheduled has not ended, and tells nobody.
 *
 * The task's co4_defer() calls have been made by then; co4_task_state_of() may need another moment
 * to say that it has stopped.
 *
 * Never pauses; any thread. The caller owns a share in the task, or knows that it has not ended.
 * CO4_OK; CO4_ENOMEM: there will be no notice; CO4_EINVAL. */
CO4_MUST_USE int co4_task_notify_exit(co4_task *task, co4_mailbox *mailbox, void *tag);

/* Takes all notices to this mailbox back that have not been sent. CO4_OK; CO4_ESTATE: there is
 * none, or it is on its way; CO4_EINVAL. */
int co4_task_forget_exit(co4_task *task, co4_mailbox *mailbox);

/* The end as a source (source.h): ready once the task has ended, for good; its code is
 * co4_task_error(), there is no value. The caller owns a share in the task until the wait is over.
 * NULL when out of memory, and for NULL. */
co4_source *co4_task_source(co4_task *task);

#ifdef __cplusplus
}
#endif

#endif
