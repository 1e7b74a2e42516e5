/* ends.h - what futures, groups and exit notices do at the end of a task, for struct
 * co4__task_hooks. */
#ifndef CO4_ENDS_H
#define CO4_ENDS_H

#include "core/task_extension.h"

void co4__task_is_started(struct co4__task_extension *x);
void co4__task_ends(struct co4__task_extension *x, co4_task *t, int error, const void *value);
/* From now on the task cannot become a member. It leaves its group, if it has one. */
void co4__member_ended(struct co4__task_extension *x, co4_task *t, int error);
void co4__task_notified(struct co4__task_extension *x, int error);
void co4__task_is_freed(struct co4__task_extension *x, co4_task *t);

#endif
