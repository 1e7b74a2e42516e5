/* co4/supervisor.h - tasks that are started again when they fail.
 *
 *     static int start_worker(co4_child *child, void *arg)
 *     {
 *         return co4_child_spawn(child, worker(arg));
 *     }
 *     …
 *     const co4_child_spec children[] = {
 *         { .name = "log", .start = start_log, .restart = CO4_TEMPORARY },
 *         { .name = "worker", .start = start_worker, .arg = &jobs, .restart = CO4_TRANSIENT },
 *     };
 *     int err = co4_supervise(
 *         &(co4_supervision){ .restarts = 5, .within = 10 * CO4_SEC }, children, 2);
 *
 * co4_supervise() starts the children in their order, and returns when no child is left that has to
 * run. The task that calls it is the supervisor. A child's function may call it, too: so
 * supervisors are children of supervisors, and no child outlives its supervisor's call.
 *
 * A child fails when its function returns a negative int, or when its task ends out of memory
 * or is cancelled. The child's spec says whether it is restarted, the supervisor's strategy which
 * other children are concerned. A supervisor that restarts children more often than it may stops
 * them all, and fails; its own supervisor decides then. */
#ifndef CO4_SUPERVISOR_H
#define CO4_SUPERVISOR_H

#include <stdint.h>

#include "actor.h"
#include "group.h"
#include "mark.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: a start function, during its call.
 * Ownership: the child is the supervisor's.
 * Since: 0.1. */

typedef struct co4_child co4_child;

/* Starts the child, by one of the two below, and returns its code; or a negative code of its own,
 * which counts as a failure, too. The supervisor calls it each time the child has to run; it may
 * not pause. */
typedef int co4_child_start(co4_child *child, void *arg);

/* When it is started again: always; when it has failed; never. */
enum { CO4_PERMANENT, CO4_TRANSIENT, CO4_TEMPORARY };

/* The description of a child. */
typedef struct co4_child_spec {
    co4_child_start *start;
    void *arg;
    int restart;
    /* Called when it is to end: stops its actor, say, or closes its inbox. If it has not ended
     * `patience` nanoseconds later it is cancelled, and waited for. NULL: it is cancelled at
     * once. */
    void (*stop)(void *arg);
    int64_t patience;
    const char *name; /* its task's; NULL: none */
} co4_child_spec;

/* The children that a failure concerns: the child alone; all; it and those after it. The others are
 * stopped, the last one first, and started again in their order, except temporary ones. Children
 * that have ended for good stay so. */
enum { CO4_ONE_FOR_ONE, CO4_ONE_FOR_ALL, CO4_REST_FOR_ONE };

/* The strategy of a supervisor. */
typedef struct co4_supervision {
    int strategy;
    int restarts;   /* more than so many … */
    int64_t within; /* … in any so many nanoseconds are too many */
    /* Called each time a child has ended, by itself or stopped, with its code. Runs on the
     * supervisor's task, and may not pause. Askers of an actor that has ended without an answer
     * have got CO4_ECLOSED before, so they may go on before the call. NULL: no call. */
    void (*ended)(void *arg, const co4_child_spec *child, int code);
    void *arg;
} co4_supervision;

/* Supervises until no child is left that has to run. When it ends otherwise it stops all children
 * first, the last one first; that takes as long as they need to end once they are cancelled. When
 * the supervisor's task is abandoned (out of memory, the end of a co4_run) it cancels its children
 * at once, and ends after them. It does not wait for children of co4_child_runs(), and those in a
 * group. Plain: children run where they are started.
 *
 * Returns: CO4_OK when no child is left. The code of a child that failed once too often, CO4_ESTATE
 *     when it had not failed but is permanent. The code of a start function at the beginning; later
 *     that counts as a failure. CO4_ENOMEM when there is no memory to count restarts. CO4_ENOMEM,
 *     CO4_EINVAL, and CO4_ESTATE inside a generator, when nothing was started.
 * Pauses: until then.
 * Cancellation: CO4_ECANCELED, after all children have ended: the way to shut it down.
 * Thread safety: any task; each call supervises children of its own.
 * Ownership: *how and the children's specs are the caller's, and stay as they are until then. */
pausable int co4_supervise(const co4_supervision *how, const co4_child_spec *children, int count);

/* In a start function: co4_child_spawn(child, f(a)) runs f as the child's task.
 * co4_child_actor(child, actor, f(actor, a)) runs it as the task of an actor, which stays, or is
 * made anew each time.
 *
 * Returns: CO4_OK; CO4_ENOMEM, CO4_EINVAL; CO4_ESTATE when the child was started; the codes of
 *     co4_actor_spawn(). After an error nothing has run. */
#ifdef CO4_PLAIN
int co4_plain_supervised(co4_child *child, co4_future *end);
int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);
#define co4_child_spawn(child, call) co4_plain_supervised((child), co4_async(call))
#define co4_child_actor(child, actor, call)                                                        \
    co4_plain_supervised_actor((child), (actor), co4_actor_spawn((actor), call))
#else
#define co4_child_spawn(child, call) co4_child_begin((child), co4_task_create(call))
#define co4_child_actor(child, actor, call)                                                        \
    co4_child_begin_actor((child), (actor), co4_task_create(call))
#endif
/* The same for a prepared task.
 *
 * Returns: as above.
 * Ownership: takes over the caller's reference to the task, also when it fails. */
int co4_child_begin(co4_child *child, co4_task *task);
int co4_child_begin_actor(co4_child *child, co4_actor *actor, co4_task *task);

/* The same for a task that runs already, whose future is `end`.
 *
 * Returns: as above.
 * Ownership: the caller keeps its reference to the future. */
int co4_child_runs(co4_child *child, co4_future *end);

#ifdef __cplusplus
}
#endif

#endif
