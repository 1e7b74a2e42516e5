/* group.c - sets of tasks that are cancelled together.
 *
 * Purpose: a group lists the task extensions of its members, and the groups below it. Cancelling
 * the group cancels all of them; later members take the reason along.
 *
 * Invariants: a member leaves when it ends (co4__member_ended), or is unlinked. In a scope the last
 * member to leave wakes the waiter, and does not touch the scope once the lock is released: the
 * scope may be freed at any moment then. A task around a scope may be abandoned (out of memory, or
 * the end of a co4_run). Then it cancels the members, and keeps the frames that they may read until
 * they have ended (co4__scope_holds). If none of them can ever end, or a child of a supervisor has
 * all but ended, the last one frees the scope.
 *
 * Concurrency: a task is cancelled outside the lock. The thread moves it to the list of notified
 * members, takes a reference to it, and unlocks. Groups below are cancelled in the same way, with a
 * reference in `refs`, which the lock of the group above guards. Locks of groups are taken from
 * above to below. A group may be freed once its last member has left, so the end of a task cannot
 * ask the group first: the extension's guard, which is taken before the group's lock, guards of
 * which group the task is a member. */
#include "structured/group.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/cancel.h"
#include "core/join.h"
#include "core/result.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"

/* ---- the lists, under the lock ---- */

static void push(struct co4__task_extension **list, struct co4__task_extension *x)
{
    x->group.next = *list;
    if (x->group.next)
        x->group.next->group.link = &x->group.next;
    *list = x;
    x->group.link = list;
}

static void unlink_member(struct co4__task_extension *x)
{
    *x->group.link = x->group.next;
    if (x->group.next)
        x->group.next->group.link = x->group.link;
}

static void push_group(co4_group **list, co4_group *g)
{
    g->next = *list;
    if (g->next)
        g->next->link = &g->next;
    *list = g;
    g->link = list;
}

static void unlink_group(co4_group *g)
{
    *g->link = g->next;
    if (g->next)
        g->next->link = g->link;
}

/* ---- groups ---- */

co4_group *co4_group_create(co4_group *above)
{
    co4_group *g = co4__pool_take(sizeof *g);
    if (!g)
        return NULL;
    memset(g, 0, sizeof *g);
    g->above = above;
    g->refs = 1;
    if (above) {
        co4__lock_take(&above->wait_queue.lock);
        g->reason = above->reason;
        push_group(g->reason ? &above->notified_below : &above->below, g);
        above->members++;
        co4__lock_give(&above->wait_queue.lock);
    }
    return g;
}

/* Called under the lock of the group above, if there is one. True: the caller drops the group,
 * without a lock. */
static bool unref(co4_group *g)
{
    return --g->refs == 0;
}

int co4_group_destroy(co4_group *group)
{
    if (!group)
        return CO4_OK;
    co4_group *above = group->above;
    if (above)
        co4__lock_take(&above->wait_queue.lock);
    co4__lock_take(&group->wait_queue.lock);
    bool busy = group->members > 0;
    co4__lock_give(&group->wait_queue.lock);
    if (above && !busy) {
        unlink_group(group);
        above->members--;
    }
    bool gone = !busy && unref(group);
    if (above)
        co4__lock_give(&above->wait_queue.lock);
    if (gone)
        co4__pool_drop(group, sizeof *group);
    return busy ? CO4_EBUSY : CO4_OK;
}

/* ---- members ---- */

int co4__group_enter(co4_group *g, co4_task *task)
{
    struct co4__task_extension *x = co4__extension_make(task);
    if (!x)
        return CO4_ENOMEM;
    int err = CO4_OK, reason = 0;
    co4__lock_take(&x->group.guard);
    if (x->group.of || x->group.ended) {
        err = CO4_ESTATE;
    } else {
        co4__lock_take(&g->wait_queue.lock);
        x->group.of = g;
        x->group.task = task;
        push(g->reason ? &g->notified : &g->first, x);
        g->members++;
        reason = g->reason;
        co4__lock_give(&g->wait_queue.lock);
    }
    co4__lock_give(&x->group.guard);
    if (reason)
        co4_task_cancel(task, reason);
    return err;
}

/* Called under the guard; x is a member. Returns the waiter for the last member, which has to
 * be woken, or NULL. */
static struct co4__waiter *group_leave(struct co4__task_extension *x)
{
    co4_group *g = x->group.of;
    struct co4__waiter *waiter = NULL;
    co4__lock_take(&g->wait_queue.lock);
    unlink_member(x);
    x->group.of = NULL;
    if (--g->members == 0)
        for (struct co4__waiter *w = g->wait_queue.waiters.head, *next; w && !waiter; w = next) {
            next = w->next;
            if (co4__take(&g->wait_queue, w))
                waiter = w;
        }
    if (waiter)
        waiter->result.i = CO4_OK;
    bool gone = g->left && g->members == 0;
    co4__lock_give(&g->wait_queue.lock);
    if (gone)
        co4__pool_drop(g, sizeof(co4_scope));
    return waiter;
}

/* Returns the group of a task that has ended, or NULL. The group keeps the task until leaves(). */
static co4_group *group_of(struct co4__task_extension *x)
{
    co4__lock_take(&x->group.guard);
    co4_group *g = x->group.of;
    if (!g)
        x->group.ended = true;
    co4__lock_give(&x->group.guard);
    return g;
}

static void leaves(struct co4__task_extension *x)
{
    struct co4__waiter *waiter = NULL;
    co4__lock_take(&x->group.guard);
    x->group.ended = true;
    if (x->group.of)
        waiter = group_leave(x);
    co4__lock_give(&x->group.guard);
    if (waiter)
        co4__wake(waiter);
}

void co4__member_ended(struct co4__task_extension *x, int error)
{
    co4_group *g = group_of(x);
    if (!g)
        return;
    bool first = g->scope && (((co4_scope *)(void *)g)->flags & CO4_SCOPE_FIRST) != 0;
    /* no call unlinks the children of a scope: it stays until this one leaves */
    if (first || (g->scope && error < 0))
        co4__task_hooks.fails_scope((co4_scope *)(void *)g, error);
    leaves(x);
}

int co4_group_link(co4_group *group, co4_task *task)
{
    if (!group || !task)
        return CO4_EINVAL;
    if (co4_task_state_of(task) == CO4_TASK_STOPPED)
        return CO4_ESTATE;
    int err = co4__group_enter(group, task);
    /* A running task may have looked for its group before. Then its end looks again; or it has
     * ended, and this thread does the work. */
    if (err == CO4_OK && atomic_load(&task->state) != CO4__NEW && co4__task_has_stopped(task))
        co4__member_ended(co4__extension_of(task), co4__task_error(task));
    return err;
}

int co4_group_unlink(co4_group *group, co4_task *task)
{
    if (!group || !task)
        return CO4_EINVAL;
    struct co4__task_extension *x = co4__extension_of(task);
    if (!x)
        return CO4_ESTATE;
    struct co4__waiter *waiter = NULL;
    co4__lock_take(&x->group.guard);
    bool member = x->group.of == group;
    if (member)
        waiter = group_leave(x);
    co4__lock_give(&x->group.guard);
    if (waiter)
        co4__wake(waiter);
    return member ? CO4_OK : CO4_ESTATE;
}

co4_scope *co4__scope_above(struct co4__task_extension *x)
{
    co4__lock_take(&x->group.guard);
    co4_group *g = x->group.of;
    co4_scope *scope = g && g->scope ? (co4_scope *)(void *)g : NULL;
    co4__lock_give(&x->group.guard);
    return scope; /* t keeps it alive: nothing but its end takes t out of a scope */
}

/* ---- cancelling ---- */

/* Called under the group's lock, which it releases meanwhile. */
static void tell_members(co4_group *group)
{
    for (struct co4__task_extension *x; (x = group->first) != NULL;) {
        unlink_member(x);
        push(&group->notified, x);
        co4_task *task = x->group.task; /* the task has not ended: it would have left */
        if (!co4__task_try_retain(task))
            continue; /* it never ran, and a thread is about to remove it */
        co4__lock_give(&group->wait_queue.lock);
        co4_task_cancel(task, group->reason); /* the reason does not change any more */
        co4_task_release(task);
        co4__lock_take(&group->wait_queue.lock);
    }
}

/* Goes down into each group below, and back. The user decides how deep groups are, so this is no
 * recursion. */
int co4_group_cancel(co4_group *group, int reason)
{
    if (!group)
        return CO4_EINVAL;
    reason = co4__cancel_reason(reason);
    for (co4_group *g = group;;) {
        co4__lock_take(&g->wait_queue.lock);
        if (!g->reason)
            g->reason = reason;
        reason = g->reason;
        tell_members(g);
        co4_group *below = g->below;
        if (below) {
            unlink_group(below);
            push_group(&g->notified_below, below);
            below->refs++;
        }
        co4__lock_give(&g->wait_queue.lock);
        if (below) {
            g = below;
        } else if (g == group) {
            return CO4_OK;
        } else {
            co4_group *above = g->above;
            co4__lock_take(&above->wait_queue.lock);
            bool gone = unref(g);
            co4__lock_give(&above->wait_queue.lock);
            if (gone)
                co4__pool_drop(g, sizeof *g);
            g = above;
        }
    }
}

int co4_group_cancelled(co4_group *group)
{
    if (!group)
        return 0;
    co4__lock_take(&group->wait_queue.lock);
    int reason = group->reason;
    co4__lock_give(&group->wait_queue.lock);
    return reason;
}
