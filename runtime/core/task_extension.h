/* task_extension.h - state that few tasks have, allocated when a task first needs it. */
#ifndef CO4_TASK_EXTENSION_INTERNAL_H
#define CO4_TASK_EXTENSION_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "core/wait.h"

struct co4__defer {
    struct co4__table_node node; /* if there is an index */
    struct co4__defer *older, *newer;
    void (*call)(void *arg);
    void *arg;
};

/* The state of a task that few tasks have. */
struct co4__task_extension {
    struct co4_future *future; /* of its result; it has a reference once the task is started */
    struct co4__defer *defers; /* newest first; only the task accesses it */
    _Atomic char name[CO4_TASK_NAME_BYTES];
    /* cancel.c, guarded by `cancelling`: a reason that does not fit in the task's byte (code.h) */
    co4__lock cancelling;
    int reason;
    struct {
        /* Guarded by `cancelling`: the scope whose body is cancelled, and the reason of the task's
         * own cancellation meanwhile. */
        co4_scope *by;
        int own_reason;
        co4_scope *innermost; /* that the task has opened; only the task accesses it */
    } scope;
    struct {
        struct co4_group *of; /* the group of which it is a member */
        co4__lock guard;      /* guards `of` and `ended`; group.c */
        bool ended;           /* it can join no group any more */
        /* Guarded by the lock of that group. */
        co4_task *task;
        struct co4__task_extension *next, **link;
    } group;
    _Atomic(struct co4__task_record *) record; /* task_record.c; set once */
    _Atomic int16_t pinned;          /* sched.c: 1 + the worker that it is pinned to; 0: none */
    struct co4__local_value *locals; /* local.c: only the task accesses it */
    /* Tables over the two lists, once these are long. Only the task accesses them. */
    struct co4__table *defer_index, *local_index;
    _Atomic(struct co4__exits *) exits; /* exit_monitor.c; any thread may set it, once */
    struct co4__wait_queue joiners;     /* join.c; its lock also guards JOINED of the task */
};

static inline struct co4__task_extension *co4__extension_of(co4_task *t)
{
    return atomic_load_explicit(&t->extension, memory_order_acquire);
}

struct co4__task_extension *co4__extension_make(co4_task *t); /* NULL: out of memory */

/* Returns the worker to which the task is pinned, or -1. */
static inline int co4__pinned_to(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    return CO4__LIKELY(x == NULL) ? -1 : atomic_load_explicit(&x->pinned, memory_order_relaxed) - 1;
}

/* Called when the task's function has returned, on its last worker, before any other thread is
 * notified. `value`: its result; NULL: there is none. */
void co4__extension_ended(co4_task *t, int error, const void *value);
/* The task is STOPPED, and its joiners have been woken. */
void co4__extension_notified(struct co4__task_extension *x, int error);
void co4__extension_free(co4_task *t);

/* What happens to the state of a thread that a task has. */
enum co4__as_thread {
    CO4__BEGINS, /* the task is about to be scheduled */
    CO4__COMES,  /* its code, or functions that its end calls, begin to run on this thread … */
    CO4__GOES,   /* … and stop to */
    CO4__GOES_TO_WAIT, /* … and stop to, as the task waits */
    CO4__RUN_LEFT      /* a longjmp has skipped the innermost run, which is forgotten now */
};

/* Functions of modules that few programs have, called at events of a task. One is NULL if the
 * program lacks its module. So callers ask for it, or for what only the module sets in the
 * extension. modules.c fills the table. */
struct co4__task_hooks {
    /* The bit JOINED of the task is set. */
    void (*wakes_joiners)(co4_task *t, int error);
#ifdef __EMSCRIPTEN__
    /* The bit FROM_HOST of the task is set, and its reference is this function's to release. */
    void (*host_call_ends)(co4_task *t, int error);
#endif
    /* The task has `defers`, or `locals`. */
    void (*runs_defers)(struct co4__task_extension *x);
    void (*ends_locals)(struct co4__task_extension *x);
    /* keeps: the task with this future is about to be scheduled. ends: it has ended; `value` is the
     * result of its function, or NULL. */
    void (*keeps_future)(co4_future *f);
    void (*ends_future)(co4_future *f, co4_task *t, int error, const void *value);
    /* From now on the task cannot become a member. It leaves its group, if it has one. */
    void (*leaves_group)(struct co4__task_extension *x, int error);
    /* A child of the scope has failed. */
    void (*fails_scope)(co4_scope *s, int error);
    /* The task's joiners have been woken; the extension is about to be freed. */
    void (*sends_exits)(struct co4__exits *e, int error);
    void (*frees_exits)(struct co4__exits *e);
    /* The task does not have the extension any more, so no other thread finds it there. Its memory
     * is about to be freed, and it has a record. */
    void (*frees_record)(struct co4__task_extension *x);
    void (*is_named)(co4_task *t);
    /* A cancelled task is cancelled again. True: its present cancellation ends before the task
     * does, and `reason` is the task's after that. */
    bool (*keeps_reason)(co4_task *t, int reason);
    /* The frame f of a task would be freed next: a longjmp leaves it, or the task is abandoned.
     * True: other tasks may still read the frame. The task is queued to wait for them
     * unconditionally. If it is abandoned, its `error` is set. */
    bool (*holds_frame)(co4_task *t, const co4_frame *f, bool abandoned);
    /* In programs in which tasks have state of threads for themselves. `task`: NULL with
     * CO4__RUN_LEFT. */
    void (*as_thread)(co4_task *task, enum co4__as_thread what);
    /* A longjmp has skipped frames of the task. Other tasks must not use these any more. */
    void (*frames_are_lost)(co4_task *t);
};

extern const struct co4__task_hooks co4__task_hooks;

/* Does what the end does, for all that other threads have attached since the end. */
static inline void co4__extension_stopped(struct co4__task_extension *x, int error)
{
    if (co4__task_hooks.leaves_group)
        co4__task_hooks.leaves_group(x, error);
}

#endif
