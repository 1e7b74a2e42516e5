/* ends.c - the end of a task: its future is completed, then it leaves its group, then exit notices
 * are sent. */
#include "structured/ends.h"

#include <stdatomic.h>
#include <stddef.h>

#include "structured/exit_monitor.h"
#include "structured/future.h"
#include "structured/group.h"

void co4__task_is_started(struct co4__task_extension *x)
{
    co4_future_retain(x->future); /* the task's reference, until it is done */
}

void co4__member_ended(struct co4__task_extension *x, co4_task *t, int error)
{
    co4_group *g = co4__group_of(x, t);
    if (!g)
        return;
    if (g->scope && error < 0) /* no call unlinks its children: it stays until this one leaves */
        co4__scope_failed((co4_scope *)(void *)g, error);
    co4__group_leaves(x, t);
}

void co4__task_notified(struct co4__task_extension *x, int error)
{
    struct co4__exits *e = atomic_load_explicit(&x->exits, memory_order_acquire);
    if (e)
        co4__exits_ended(e, error);
}

void co4__task_ends(struct co4__task_extension *x, co4_task *t, int error, const void *value)
{
    co4_future *f = x->future;
    x->future = NULL;
    if (f)
        co4__future_ended(f, t, error, value);
    co4__member_ended(x, t, error);
    co4__task_notified(x, error);
}

void co4__task_is_freed(struct co4__task_extension *x, co4_task *t)
{
    if (x->group.of) /* it never ran */
        co4__member_ended(x, t, CO4_OK);
    co4__exits_free(atomic_load_explicit(&x->exits, memory_order_relaxed));
}
