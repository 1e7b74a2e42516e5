/* join.c - waiting for the end of a task.
 *
 * Concurrency: JOINED in `refs` and `state` form a Dekker pair. A joiner sets JOINED and then reads
 * `state`; the end sets `state` and then reads `refs`. All four are sequentially consistent, so at
 * least one of them sees the other (tests/model/join.pml).
 *
 * The first joiner makes the task's extension, and joiners queue there. So an end finds its joiners
 * at once, however many join other tasks. If that allocation fails, they queue in `others`, with
 * the joiners of all such tasks. */
#include "core/join.h"
#include "core/blocker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/caller.h"
#include "core/result.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* For joiners of tasks whose extension could not be allocated. Each waiter's `buffer` is its
 * task. */
static struct co4__wait_queue others;
static atomic_bool any_others; /* a joiner has queued there; set before JOINED, read after it */

static struct co4__wait_queue *joiners_of(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_make(t);
    if (x)
        return &x->joiners;
    atomic_store(&any_others, true);
    return &others;
}

/* Called under the lock of the wait queue that the caller is about to join. Returns whether t has
 * stopped. If not, the end of t will visit that queue. */
bool co4__task_has_stopped(co4_task *t)
{
    co4__claims_begin();
    atomic_fetch_or(&t->refs, CO4__JOINED);
    bool stopped = atomic_load(&t->state) == CO4__STOPPED;
    co4__claims_end();
    return stopped;
}

/* Puts a mark before `j`, where a walk will continue. A mark does not wait, so other walks skip
 * it. */
static void put_mark(struct co4__list *l, struct co4__waiter *mark, struct co4__waiter *j)
{
    memset(mark, 0, sizeof *mark);
    mark->kind = CO4__WAITER_THREAD;
    if (j->prev) {
        co4__list_insert_after(l, j->prev, mark);
        return;
    }
    mark->next = j;
    j->prev = l->head = mark;
}

/* Wakes the joiners of t in this queue. All of them are queued when this begins. `others` has
 * joiners of other tasks, too. So the walk visits CO4__BATCH waiters each time it takes the lock,
 * and leaves a mark where it has to continue. */
static void wake_joiners(struct co4__wait_queue *p, const co4_task *t, int error)
{
    struct co4__waiter mark, *j = NULL;
    do {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&p->lock);
        struct co4__waiter *next = j ? mark.next : p->waiters.head;
        if (j)
            co4__list_remove(&p->waiters, &mark);
        j = next;
        for (unsigned n = 0; j && n < CO4__BATCH; j = next, n++) {
            next = j->next;
            if (j->result.wait.buffer != t || !co4__take(p, j))
                continue;
            j->result.i = error;
            co4__list_push(&woken, j);
        }
        if (j)
            put_mark(&p->waiters, &mark, j);
        co4__lock_give(&p->lock);
        co4__list_wake(&woken);
    } while (j); /* j may be freed by now; the mark is still queued */
}

void co4__task_notify(co4_task *t, int error)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (x) {
        wake_joiners(&x->joiners, t, error);
        co4__lock_take(&x->joiners.lock);
        /* The queue may be freed soon; a joiner claimed elsewhere may have no reference. */
        co4__wait_queue_clear(&x->joiners);
        co4__lock_give(&x->joiners.lock);
    }
    if (CO4__UNLIKELY(atomic_load(&any_others)))
        wake_joiners(&others, t, error);
    if (x)
        co4__extension_notified(x, error);
}

/* The caller has seen that t stopped, and has a reference. */
static int joined(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (x) /* its end may not have done it yet: co4_group_link */
        co4__extension_stopped(x, co4__task_error(t));
    return co4__task_error(t);
}

static int join(co4_fiber *co4, co4_task *task, int64_t deadline)
{
    struct co4__timer *timer = NULL;
    if (!task)
        return co4__done(co4, CO4_EINVAL);
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (task == co4__task_of(co4))
        return co4__done(co4, CO4_EDEADLK);
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (co4_task_state_of(task) == CO4_TASK_STOPPED)
        return co4__done(co4, joined(task));
    if (deadline != CO4_NEVER) {
        if (deadline <= co4_now())
            return co4__done(co4, deadline == CO4_NOW ? CO4_EBUSY : CO4_ETIMEDOUT);
        if (!(timer = co4__timer_create(co4__task_of(co4), deadline)))
            return co4__done(co4, CO4_ENOMEM);
    }
    struct co4__wait_queue *b = joiners_of(task);
    co4__lock_take(&b->lock);
    if (!co4__task_has_stopped(task))
        return co4__wait(co4, b, CO4__WAIT_JOIN, task, timer);
    co4__lock_give(&b->lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    return co4__done(co4, joined(task));
}

int co4_task_join__co4(co4_fiber *co4, co4_task *task)
{
    return join(co4, task, CO4_NEVER);
}

int co4_task_join_until__co4(co4_fiber *co4, co4_task *task, int64_t deadline)
{
    return join(co4, task, deadline);
}

int co4_task_join(co4_task *task)
{
    return co4_task_join_until(task, CO4_NEVER);
}

int co4_task_join_until(co4_task *task, int64_t deadline)
{
    if (!task)
        return CO4_EINVAL;
    if (deadline == CO4_NOW)
        return co4__task_has_stopped(task) ? joined(task) : CO4_EBUSY;
    if (co4__in_task())
        return CO4_EDEADLK;
    struct co4__blocker b;
    int err = co4__blocker_init(&b);
    if (err != CO4_OK)
        return err;
    if (!co4__task_has_stopped(task) && co4__wait_hooks.is_undriven &&
        co4__wait_hooks.is_undriven(task))
        co4__report_undriven();
    struct co4__wait_queue *at = joiners_of(task);
    co4__lock_take(&at->lock);
    if (co4__task_has_stopped(task)) {
        co4__lock_give(&at->lock);
        err = joined(task);
    } else {
        co4__blocker_queue(&b, at, CO4__WAIT_JOIN, task);
        err = co4__blocker_wait(&b, deadline, NULL);
    }
    co4__blocker_fini(&b);
    return err;
}

int co4__join_result(const co4_task *task, int err, void *out, size_t size)
{
    if (!task || !out || co4_task_state_of(task) != CO4_TASK_STOPPED ||
        co4__task_error(task) != err)
        return err;
    return (co4_task_result)(task, out, size);
}

/* ---- forks ---- */

void co4__join_fork(enum co4__fork how)
{
    /* In the child the blocked joiners, and the marks of walks, belong to threads of the parent. */
    struct co4__waiter *w = how == CO4__FORK_CHILD ? others.waiters.head : NULL;
    for (struct co4__waiter *next; w; w = next) {
        next = w->next;
        if (w->kind == CO4__WAITER_THREAD)
            co4__list_remove(&others.waiters, w);
    }
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&others.lock);
    else
        co4__lock_give(&others.lock);
}
