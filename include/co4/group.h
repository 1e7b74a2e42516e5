/* co4/group.h - tasks that are cancelled together, and scopes, which no task outlives.
 *
 * A scope is the way to start tasks: all tasks that are started inside have ended when it returns,
 * however it returns.
 *
 *     static pausable int fetch_both(struct job *job)
 *     {
 *         co4_scope_spawn(co4_scope_here(), fetch(job->left));
 *         co4_scope_spawn(co4_scope_here(), fetch(job->right));
 *         return look_at(job);              early, or an error: both are cancelled and waited for
 *     }
 *     …
 *     int err = co4_scope_run(0, fetch_both(&job));
 *
 * A child fails when its function returns a negative number (task.h, "Results"), or when its task
 * ends out of memory. The first failure, of a child or of the body, cancels all the others,
 * the body too: its pausing calls return CO4_ECANCELED until it has returned. co4_scope_run()
 * returns that failure; the task around the scope goes on as it was. When that task is cancelled,
 * so are the children.
 *
 * A group is the same without the waiting: a set of tasks and of further groups. */
#ifndef CO4_GROUP_H
#define CO4_GROUP_H

#include <stddef.h>

#include "mark.h"
#include "task.h"
#include "time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: groups, scopes and tasks stay their owners'.
 * Since: 0.1. */

typedef struct co4_group co4_group;
typedef struct co4_scope co4_scope;

/* Creates a group: of its own, or below another and cancelled with that.
 *
 * Returns: the group; NULL when out of memory.
 * Ownership: the caller's, until co4_group_destroy(). */
CO4_MUST_USE co4_group *co4_group_create(co4_group *above);

/* Frees the group. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing happens, while it has members.
 * Thread safety: no other call may begin from now on.
 * Ownership: ends the caller's. */
int co4_group_destroy(co4_group *group);

/* Makes `task` a member until it stops, or is dropped without having run. A task is in one group at
 * most. In a group that was cancelled it is cancelled at once.
 *
 * Returns: CO4_OK; CO4_ESTATE when it has stopped, or is in a group or a scope; CO4_ENOMEM;
 *     CO4_EINVAL.
 * Thread safety: a caller with a reference to the task, or one that knows that it has not stopped.
 */
CO4_MUST_USE int co4_group_link(co4_group *group, co4_task *task);

/* Takes the task out of the group.
 *
 * Returns: CO4_OK; CO4_ESTATE when it is no member, or no longer; CO4_EINVAL. */
int co4_group_unlink(co4_group *group, co4_task *task);

/* Cancels all members, also those to come, and all groups below. The first reason stays.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL. */
int co4_group_cancel(co4_group *group, int reason);

/* Whether the group is cancelled.
 *
 * Returns: the reason; 0 when it is not, and for NULL. */
int co4_group_cancelled(co4_group *group);

/* ---- scopes ---- */

#define CO4_SCOPE_KEEP_GOING 1 /* a failure cancels no task */
#define CO4_SCOPE_FIRST      2 /* the first child to end, or a body that fails, decides */

/* co4_scope_run(flags, f(a)): opens a scope, calls f, its body, then waits for all tasks that were
 * spawned in the scope, also by its tasks. f returns an int, a code. Its arguments are evaluated
 * before the scope opens. When the calling task is abandoned (out of memory, left waiting at the
 * end of a co4_run) its children are cancelled, and it ends after them: the frames of its callers,
 * which they may use, stay until then. Plain: children run where they are spawned.
 *
 * With CO4_SCOPE_FIRST the end of the first child, whatever its code, cancels the others and the
 * body, and the scope returns that code.
 *
 * Returns: the first failure; without one the result of the body. CO4_ENOMEM when there is no
 *     memory for the scope or the call, CO4_EINVAL for other flags, CO4_ESTATE inside a generator:
 *     nothing has run.
 * Pauses: until all have ended.
 * Cancellation: CO4_ECANCELED when the calling task is cancelled before the children have ended;
 *     they are cancelled, and waited for. */
#ifdef CO4_PLAIN
#define co4_scope_run_until(flags, call, deadline) ((void)(deadline), co4_scope_run(flags, call))
int co4_plain_scope_begin(int flags);
int co4_plain_scope_end(int code);
#define co4_scope_run(flags, call)                                                                 \
    __extension__({                                                                                \
        int co4_code_ = co4_plain_scope_begin(flags);                                              \
        co4_code_ == 0 ? co4_plain_scope_end((call)) : co4_code_;                                  \
    })
#else
pausable int co4_scope_run(int flags, struct co4_call *body);
pausable int co4_scope_run_until(int flags, struct co4_call *body, int64_t deadline);
#define co4_scope_run(flags, call) co4_scope_run((flags), CO4__PREPARED(call))
#define co4_scope_run_until(flags, call, deadline)                                                 \
    co4_scope_run_until((flags), CO4__PREPARED(call), (deadline))
#endif

/* co4_timeout(ns, f(a)): a limit for any call. f returns an int, a code. When `ns` nanoseconds are
 * over, f is cancelled, with all tasks of its own scope: its pausing calls return CO4_ECANCELED
 * until it has returned. The task goes on as it was. co4_scope_run_until(flags, f(a), deadline) is
 * the same for a scope and a deadline. Plain: the call has no limit.
 *
 *     int err = co4_timeout(2 * CO4_SEC, fetch_both(&job));
 *
 * Returns: the result of f, as co4_scope_run(). CO4_ETIMEDOUT if f has failed after the time was
 *     over; what f has got nevertheless is not lost. CO4_ENOMEM, and f has not run.
 * Pauses: until f and the tasks of its scope have ended.
 * Cancellation: as for co4_scope_run(). */
#define co4_timeout(ns, call) co4_scope_run_until(0, call, co4_after(ns))

/* The scope in which the calling task is: the innermost one that it has opened, else the one that
 * has started it.
 *
 * Returns: the scope; NULL outside scopes.
 * Ownership: borrowed, until the scope's co4_scope_run() returns. */
co4_scope *co4_scope_here(void);

/* co4_scope_spawn(scope, f(a)): starts f as a task of the scope. The scope's body and its children
 * call it, and tasks to which they give the scope until they have ended.
 *
 * Returns: CO4_OK; CO4_ENOMEM, CO4_ECANCELED when the scope is being cancelled, CO4_EINVAL for a
 *     NULL scope, which the first such call of the program also reports on standard error, and
 *     CO4_ESTATE after the end of the scope, or where no runtime would run the task: nothing has
 *     run. */
#ifdef CO4_PLAIN
int co4_plain_child(co4_scope *scope, int code);
#define co4_scope_spawn(scope, call) co4_plain_child((scope), CO4__CODE(call))
#else
#define co4_scope_spawn(scope, call) co4_scope_start((scope), co4_task_create(call))
#endif

/* The same for a prepared task.
 *
 * Returns: as above; CO4_ESTATE when the task was scheduled before.
 * Ownership: takes over the caller's reference to the task, also when it fails. */
int co4_scope_start(co4_scope *scope, co4_task *task);

/* Cancels the children, those to come, and the body, as a failure does. Cancelling is no failure by
 * itself: the scope returns the first negative result of a child or of the body. That is
 * CO4_ECANCELED if one of them passes on what its pausing call has returned. So a program that has
 * enough, and wants success, notes that before it cancels:
 *
 *     p->enough = true;
 *     co4_scope_cancel(scope, 0);
 *     return CO4_OK;
 *     …
 *     int err = co4_scope_run(0, search(&p));
 *     if (err == CO4_ECANCELED && p.enough)
 *         err = CO4_OK;
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL.
 * Thread safety: any thread that may use the scope. */
int co4_scope_cancel(co4_scope *scope, int reason);

/* Children that have not ended, at some moment during the call.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_scope_tasks(co4_scope *scope);

#ifdef __cplusplus
}
#endif

#endif
