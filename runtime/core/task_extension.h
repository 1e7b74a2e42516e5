/* task_extension.h - state that few tasks have, allocated when a task first needs it. */
#ifndef CO4_TASK_EXTENSION_INTERNAL_H
#define CO4_TASK_EXTENSION_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/wait.h"

struct co4__defer {
    struct co4__defer *older;
    void (*call)(void *arg);
    void *arg;
};

/* What few tasks have. */
struct co4__task_extension {
    struct co4_future *future; /* of its result; a share, once it is started */
    struct co4__defer *defers; /* newest first; the task's own */
    _Atomic char name[CO4_TASK_NAME_BYTES];
    /* group.c: guarded by the task's guard … */
    /* cancel.c, guarded by `cancelling`: the reason, when the task has no byte for it (code.h) */
    co4__lock cancelling;
    int reason;
    /* scope.c, guarded by `cancelling`: the scope whose body is cancelled, and with which reason
     * the task itself was, meanwhile */
    int own_reason;
    co4_scope *by;
    co4_scope *scope;                       /* the innermost that it has opened; the task's own */
    struct co4_group *group;                /* whose member it is */
    bool ended;                             /* it becomes nobody's member any more */
    _Atomic(struct co4__watched *) watched; /* watched.c; set once */
    _Atomic int16_t pinned;          /* sched.c: 1 + the worker that it is pinned to; 0: none */
    struct co4__local_value *locals; /* local.c: the task's own */
    /* … and by the lock of `group` */
    bool is_code; /* a negative result is a failure */
    co4_task *task;
    struct co4__task_extension *next, **link;
    _Atomic(struct co4__exits *) exits; /* exit_monitor.c; set once, by anyone */
    struct co4__wait_queue joiners;     /* task.c; its lock guards JOINED of the task, too */
};

static inline struct co4__task_extension *co4__extension_of(co4_task *t)
{
    return atomic_load_explicit(&t->extension, memory_order_acquire);
}

struct co4__task_extension *co4__extension_make(co4_task *t); /* NULL: out of memory */

/* The worker that it is pinned to, or -1. */
static inline int co4__pinned_to(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    return CO4__LIKELY(x == NULL) ? -1 : atomic_load_explicit(&x->pinned, memory_order_relaxed) - 1;
}

void co4__extension_free(co4_task *t);

/* What higher layers do at moments in the life of a task with an extension. modules.c fills the
 * table. */
struct co4__task_hooks {
    /* It has a future, and will run. */
    void (*is_started)(struct co4__task_extension *x);
    /* The task has ended; `value`: what its function has returned, or NULL. */
    void (*ends)(struct co4__task_extension *x, co4_task *t, int error, const void *value);
    /* It is STOPPED: the same for what other threads have attached since `ends`. */
    void (*has_stopped)(struct co4__task_extension *x, co4_task *t, int error, const void *value);
    /* Its joiners have been woken. */
    void (*has_notified)(struct co4__task_extension *x, int error);
    /* The extension is about to be freed; the task may never have run. */
    void (*is_freed)(struct co4__task_extension *x, co4_task *t);
    void (*is_unwatched)(struct co4__task_extension *x);
    void (*is_named)(co4_task *t);
    /* Is it cancelled because its scope is? Then `reason` will stay when that has passed. */
    bool (*scope_has_cancelled)(co4_task *t, int reason);
    /* The task is given up, and frame f of it is next: has it opened a scope there whose children
     * have not ended? They are cancelled, and it is listed to wait for them, whatever comes; its
     * `error` is set. */
    bool (*scope_holds)(co4_task *t, const co4_frame *f);
    /* A jump has left its frames: whatever stood in them ends. */
    void (*frames_are_lost)(co4_task *t);
};

extern const struct co4__task_hooks co4__task_hooks;

#endif
