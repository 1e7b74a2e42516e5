/* co4/group.h - tasks that are cancelled together, and scopes, which no task outlives.
 *
 * A scope is the way to start tasks: what is started inside has ended when it returns, however it
 * returns.
 *
 *     static pausable int fetch_both(co4_scope *scope, void *arg)
 *     {
 *         struct job *job = arg;
 *         co4_scope_spawn(scope, fetch(job->left));
 *         co4_scope_spawn(scope, fetch(job->right));
 *         return look_at(job);              early, or an error: both are cancelled and waited for
 *     }
 *     …
 *     int err = co4_scope_run(0, fetch_both, &job);
 *
 * A child fails when its function returns a negative int, a code, or when its task ends for want of
 * memory. The first failure, of a child or of the body, cancels all the others, the body too: its
 * pausing calls return CO4_ECANCELED until it has returned. That failure is what co4_scope_run()
 * returns; the task around the scope goes on as it was. When that task is cancelled, so are the
 * children.
 *
 * A group is the same without the waiting: a set of tasks and of further groups, for who wants to
 * decide by himself.
 * */
#ifndef CO4_GROUP_H
#define CO4_GROUP_H

#include <stddef.h>

#include "mark.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_group co4_group;
typedef struct co4_scope co4_scope;

/* A group of its own, or below another: cancelled with that. The caller owns it. NULL when out of
 * memory. */
CO4_MUST_USE co4_group *co4_group_create(co4_group *above);

/* Frees it. CO4_EBUSY, and nothing happens, while it has members. NULL is CO4_OK. */
int co4_group_destroy(co4_group *group);

/* Makes `task` a member until it stops, or is dropped without ever having run; it is in one group
 * at most. In a group that has been cancelled it is cancelled at once. CO4_OK; CO4_ESTATE when it
 * has stopped, is in a group already, or in a scope; CO4_ENOMEM; CO4_EINVAL. Any thread; the caller
 * has a share in the task, or knows that it has not stopped. */
CO4_MUST_USE int co4_group_link(co4_group *group, co4_task *task);
/* CO4_ESTATE: it is no member, or no more. */
int co4_group_unlink(co4_group *group, co4_task *task);

/* Cancels all members, also those to come, and all groups below. The first reason stays. Any
 * thread, never pauses. CO4_OK, CO4_EINVAL. */
int co4_group_cancel(co4_group *group, int reason);

/* The reason for which it was cancelled; 0: it was not. */
int co4_group_cancelled(co4_group *group);

/* ---- scopes ---- */

typedef pausable int co4_scope_body(co4_scope *scope, void *arg);

#define CO4_SCOPE_KEEP_GOING 1 /* a failure cancels nobody */

/* Calls body(scope, arg), then waits for all tasks spawned in the scope, those that they spawn in
 * it included. Returns the first failure; without one what the body returned. CO4_ECANCELED when
 * the calling task was cancelled before the children had ended, CO4_ENOMEM when there is no memory
 * for the scope: nothing has run. A task that is given up in the middle (out of memory, left
 * waiting at the end of a co4_run) cancels its children, and ends when they have: what they use in
 * the frames of its caller stays until then. CO4_EINVAL for a NULL body or other flags; CO4_ESTATE
 * inside a generator. Plain: children run where they are spawned. */
pausable int co4_scope_run(int flags, co4_scope_body *body, void *arg);

/* co4_scope_spawn(scope, f(a)): starts f as a task of the scope, for its body and its children to
 * call, or for tasks to which they give the scope until they have ended. CO4_OK; CO4_ENOMEM:
 * nothing has run; CO4_ECANCELED when the scope is being cancelled: nothing has run. */
#ifdef CO4_PLAIN
int co4_plain_child(co4_scope *scope, int code);
#define co4_scope_spawn(scope, call)                                                               \
    co4_plain_child((scope), __builtin_choose_expr(CO4__IS_INT(call), (call), ((void)(call), 0)))
#else
#define co4_scope_spawn(scope, call)                                                               \
    co4_scope_start((scope), co4_task_create(call), CO4__IS_INT(call))
#endif

/* The same for a task that has been prepared, whose share it takes over; is_code: its function
 * returns an int that is a code. CO4_EINVAL for a NULL scope, CO4_ESTATE when it was scheduled
 * before. */
int co4_scope_start(co4_scope *scope, co4_task *task, int is_code);

/* Cancels the children, those to come, and the body, as a failure does. Any thread that may use
 * the scope; never pauses. CO4_OK, CO4_EINVAL. */
int co4_scope_cancel(co4_scope *scope, int reason);

/* Children that have not ended, at some moment during the call. */
size_t co4_scope_tasks(co4_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
