/* join.h - telling those that wait for the end of a task. */
#ifndef CO4_JOIN_INTERNAL_H
#define CO4_JOIN_INTERNAL_H

#include <stdbool.h>

#include "core/task.h"
#include "platform/fork.h"

/* Either this says that t has stopped, or co4__task_tell comes after what the caller lists now,
 * under a lock that it takes. */
bool co4__task_has_stopped(co4_task *t);
void co4__task_tell(co4_task *t, int error); /* it has stopped, and has joiners */

co4__fork_handler co4__join_fork;

#endif
