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
 * co4_supervise() starts the children in their order and stays with them, until none is left that
 * is to run. The task that calls it is the supervisor; so supervisors are children of supervisors
 * where a child's function calls it, and no child outlives its supervisor's call.
 *
 * A child has failed when its function has returned a negative int, or its task has ended for want
 * of memory, or was cancelled. What is to be done then it says itself, and how many
 * others are concerned says the supervisor's strategy. A supervisor that has to start children
 * again more often than it should stops them all, and fails: that is its own supervisor's business.
 * */
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

typedef struct co4_child co4_child;

/* Starts the child, by one of the two below, and returns what that returned; or a negative code of
 * its own: that counts as a failure, too. Called by the supervisor each time the child is to run;
 * may not pause. */
typedef int co4_child_start(co4_child *child, void *arg);

/* When it is started again: always; when it has failed; never. */
enum { CO4_PERMANENT, CO4_TRANSIENT, CO4_TEMPORARY };

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

/* Whom a failure concerns: the child alone; all; it and those that stand after it. The others are
 * stopped, the last one first, and started again in their order, but for temporary ones. Those that
 * have ended for good stay so. */
enum { CO4_ONE_FOR_ONE, CO4_ONE_FOR_ALL, CO4_REST_FOR_ONE };

typedef struct co4_supervision {
    int strategy;
    int restarts;   /* more than so many … */
    int64_t within; /* … in any so many nanoseconds are too many */
    /* Told each time a child has ended, by itself or stopped, and with which code; on the
     * supervisor's task, may not pause. NULL: nobody. */
    void (*ended)(void *arg, const co4_child_spec *child, int code);
    void *arg;
} co4_supervision;

/* Supervises until no child is left that is to run: CO4_OK. Otherwise all children are stopped, the
 * last one first, and it returns why:
 *
 *   CO4_ECANCELED   the supervisor's task was cancelled: the way to shut it down
 *   a code          of the child that failed once too often; CO4_ESTATE when that had not failed,
 *                   but is permanent
 *   a code          of a start function, at the beginning; later that counts as a failure
 *   CO4_ENOMEM      there is no memory to count restarts on
 *   CO4_ENOMEM, CO4_EINVAL, CO4_ESTATE inside a generator: nothing has been started
 *
 * Stopping waits for children as long as they take to end once they have been cancelled. `how` and
 * `children` stay as they are meanwhile. When the supervisor's own task is given up (out of memory,
 * the end of a co4_run) it cancels all of its children at once, and ends when they have; those of
 * co4_child_runs() and those that are in a group are not waited for. Plain: children run where they
 * are started. */
pausable int co4_supervise(const co4_supervision *how, const co4_child_spec *children, int count);

/* In a start function: co4_child_spawn(child, f(a)) runs f as the child's task;
 * co4_child_actor(child, actor, f(actor, a)) as that of an actor, which is one that stays, or made
 * anew each time. CO4_OK; CO4_ENOMEM, CO4_EINVAL; CO4_ESTATE: it has been started; and what
 * co4_actor_spawn() says. Nothing has run then. */
#ifdef CO4_PLAIN
int co4_plain_supervised(co4_child *child, int code);
int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);
#define co4_child_spawn(child, call)                                                               \
    co4_plain_supervised((child),                                                                  \
                         __builtin_choose_expr(CO4__IS_INT(call), (call), ((void)(call), 0)))
#define co4_child_actor(child, actor, call)                                                        \
    co4_plain_supervised_actor((child), (actor), co4_actor_spawn((actor), call))
#else
#define co4_child_spawn(child, call)                                                               \
    co4_child_begin((child), co4_task_create(call), CO4__IS_INT(call))
#define co4_child_actor(child, actor, call)                                                        \
    co4_child_begin_actor((child), (actor), co4_task_create(call), CO4__IS_INT(call))
#endif
/* The same for a task that has been prepared, whose share they take over; is_code: its function
 * returns an int that is a code. */
int co4_child_begin(co4_child *child, co4_task *task, int is_code);
int co4_child_begin_actor(co4_child *child, co4_actor *actor, co4_task *task, int is_code);
/* The same for what runs already, as this future says, of which the caller keeps his share. */
int co4_child_runs(co4_child *child, co4_future *end, int is_code);

#ifdef __cplusplus
}
#endif

#endif
