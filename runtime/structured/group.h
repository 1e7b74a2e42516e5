/* group.h - what group.c and the woven scopes share. */
#ifndef CO4_GROUP_INTERNAL_H
#define CO4_GROUP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "platform/fork.h"

struct co4_group {
    /* In the list of the group above: guarded by its lock. First, for a free object of the pool has
     * its links here: a scope that has ended can still say so (co4_scope_start). */
    struct co4_group *next, **link;
    struct co4__wait_queue wait_queue;    /* its lock guards all below; who waits in it: scopes */
    struct co4__task_extension *first;    /* members that have not been told of a cancellation */
    struct co4__task_extension *notified; /* … that have */
    struct co4_group *above;              /* constant */
    struct co4_group *below; /* the groups below that have not been told of a cancellation … */
    struct co4_group *notified_below; /* … and that have */
    size_t members;                   /* tasks and groups */
    int reason;                       /* 0: not cancelled */
    unsigned refs; /* guarded by the lock of `above`; without one the owner's alone */
    bool scope;    /* part of a co4_scope */
    bool left;     /* a scope that its task has given up: goes with its last member */
};

struct co4_scope {
    struct co4_group group; /* first */
    int flags;
    int failure;      /* the first; under the group's lock */
    co4_task *body;   /* whose call of the body has not returned; under the group's lock */
    co4_task *task;   /* whose scope it is; constant, as all below */
    const void *at;   /* in the frame of that task in which it was opened */
    co4_scope *outer; /* the next of that task's scopes … */
    unsigned depth;   /* … of which the outermost is 0 */
};

int co4__group_enter(co4_group *g, co4_task *task);

/* at: something in the frame of the activation that opens it, which is to stay until the members
 * have left. NULL: out of memory. */
co4_scope *co4__scope_open(int flags, const void *at);
/* At the end of that activation, whatever ends it: members that are left are cancelled. NULL is
 * nothing. */
void co4__scope_close(co4_scope **s);
void co4__scope_failed(co4_scope *s, int code);
/* The body has returned, or never will: from now on it is not cancelled, nor was it. Again is
 * nothing. */
void co4__scope_body_ended(co4_scope *s);
int co4__scope_failure(co4_scope *s);
/* co4_scope_run(), but for a body that is lost if this function gets no frame. */
pausable int co4_abi_scope_run(int flags, struct co4_call *body);
/* Pauses until the scope has no member. CO4_OK, CO4_ECANCELED. */
pausable int co4__scope_wait(co4_scope *s);

co4__fork_handler co4__group_fork;

/* The group of a task that has ended. It keeps the task until co4__group_leaves. NULL: there is
 * none, and there will be none. */
co4_group *co4__group_of(struct co4__task_extension *x, co4_task *t);
void co4__group_leaves(struct co4__task_extension *x, co4_task *t);

/* For struct co4__task_hooks. */
bool co4__scope_has_cancelled(co4_task *t, int reason);
bool co4__scope_holds(co4_task *t, const co4_frame *f);
void co4__scopes_end(co4_task *t);

/* For CO4_PLAIN: the thread's innermost scope. CO4_OK, CO4_ENOMEM. */
int co4__plain_scope_open(int flags);
void co4__plain_scope_close(co4_scope *s);
CO4__PUBLIC int co4_plain_child(co4_scope *scope, int code);
CO4__PUBLIC int co4_plain_scope_begin(int flags);
CO4__PUBLIC int co4_plain_scope_end(int code);

#endif
