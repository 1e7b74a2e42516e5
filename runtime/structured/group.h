/* group.h - types and functions that group.c and the woven scopes share. */
#ifndef CO4_GROUP_INTERNAL_H
#define CO4_GROUP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"

struct co4_group {
    /* In the list of the group above, whose lock guards them. They are first, because a free object
     * of the pool has its links here: a scope that has ended can still say so (co4_scope_start). */
    struct co4_group *next, **link;
    /* Its lock guards the fields below. The waiters are the tasks of scopes. */
    struct co4__wait_queue wait_queue;
    struct co4__task_extension *first; /* members that have not been notified of a cancellation */
    struct co4__task_extension *notified; /* members that have */
    struct co4_group *above;              /* constant */
    struct co4_group *below; /* groups below that have not been notified of a cancellation */
    struct co4_group *notified_below; /* groups below that have */
    size_t members;                   /* tasks and groups */
    int reason;                       /* 0: not cancelled */
    /* Guarded by the lock of `above`. Without one, only the owner uses it. */
    unsigned refs;
    bool scope; /* part of a co4_scope */
    bool left;  /* a scope that its task has abandoned: freed with its last member */
};

struct co4_scope {
    struct co4_group group; /* first */
    int flags;
    int failure;      /* the first failure; under the group's lock, like the next */
    bool decided;     /* CO4_SCOPE_FIRST: `failure` is the code of the first end */
    co4_task *body;   /* the task whose body has not returned; under the group's lock */
    co4_task *task;   /* the scope's task; constant, like the fields below */
    const void *at;   /* in the frame of that task that has opened it */
    co4_scope *outer; /* the next of that task's scopes */
    unsigned depth;   /* 0 for the outermost of these */
};

CO4__PRIVATE int co4__group_enter(co4_group *g, co4_task *task);

/* `at` is an address in the frame of the activation that opens the scope. That frame stays until
 * the members have left. NULL: out of memory. */
CO4__PRIVATE co4_scope *co4__scope_open(int flags, const void *at);
/* Called at the end of that activation, for any reason. Cancels the members that are left. NULL
 * does nothing. */
CO4__PRIVATE void co4__scope_close(co4_scope **s);
/* Called when the body or a child has failed, or a child of a CO4_SCOPE_FIRST has ended. */
void co4__scope_failed(co4_scope *s, int code);
/* Called when the body has returned, or never will. From now on it is not cancelled, and its
 * cancellation is taken back. A further call does nothing. */
void co4__scope_body_ended(co4_scope *s);
/* The result of the scope, whose body has returned `result`. */
int co4__scope_result(co4_scope *s, int result);
bool co4__scope_takes(int flags);
/* The time of a scope (scope_limit.c). Only a program that sets one has its functions. */
struct co4__scope_limit {
    /* CO4_OK; CO4_ENOMEM. The scope may be cancelled before it returns. */
    int (*begin)(struct co4__scope_limit *limit, co4_scope *scope);
    /* Takes the timer away. Returns whether the time was over. The scope has been cancelled by it
     * before the return, or never will be. */
    bool (*end)(struct co4__scope_limit *limit);
    void (*drop)(struct co4__scope_limit *limit); /* ends it, and frees the limit */
};

static inline void co4__scope_limit_drop(struct co4__scope_limit **limit)
{
    if (*limit)
        (*limit)->drop(*limit);
}

/* Like co4_scope_run(), but the body and the limit are lost if this function gets no frame. Takes
 * over the limit; NULL: none. */
#ifdef __CO4WEAVE__
pausable int co4_abi_scope_run(int flags, struct co4_call *body, struct co4__scope_limit *limit);
#else
int co4_abi_scope_run__co4(co4_fiber *co4, int flags, struct co4_call *body,
                           struct co4__scope_limit *limit);
#endif
/* Pauses until the scope has no member. CO4_OK, CO4_ECANCELED. */
pausable int co4__scope_wait(co4_scope *s);

/* Returns the scope whose child the calling task is, which has x; NULL for other tasks. */
co4_scope *co4__scope_above(struct co4__task_extension *x);

/* For struct co4__task_hooks. */
void co4__member_ended(struct co4__task_extension *x, int error);
bool co4__scope_has_cancelled(co4_task *t, int reason);
bool co4__scope_holds(co4_task *t, const co4_frame *f, bool abandoned);
void co4__scopes_end(co4_task *t);

/* For CO4_PLAIN: the thread's innermost scope. CO4_OK, CO4_ENOMEM. */
int co4__plain_scope_open(int flags);
void co4__plain_scope_close(co4_scope *s);
CO4__PUBLIC int co4_plain_child(co4_scope *scope, int code);
CO4__PUBLIC int co4_plain_scope_begin(int flags);
CO4__PUBLIC int co4_plain_scope_end(int code);

#endif
