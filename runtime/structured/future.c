/* future.c - values that come later: results of tasks, or completed by any thread.
 *
 * Invariants: a future is a wait queue (wait.c) with a value. `code` and the value are written
 * once, under the lock, before `done`. Then every listener is offered them, in the order in which
 * they came. All of them leave the queue then, even those that another source has chosen, because
 * nothing will ever be offered to them again.
 *
 * Ownership: each handle is a reference. The future of a task has two more relations. Before the
 * task is scheduled, the future owns the reference to the task that it was given. From then on
 * until it is done, the task has a reference to the future. The future keeps its own to the task,
 * so that it can be cancelled. The completion releases both, so no cycle remains. */
#include "structured/future.h"

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
#include "sync/source.h"

#define ALIGNED(bytes)                                                                             \
    (((bytes) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t))
#define VALUE_AT ALIGNED(sizeof(struct co4_future))

void *co4__future_value(co4_future *f)
{
    return (char *)f + VALUE_AT;
}

void *co4__future_more(co4_future *f)
{
    return (char *)f + VALUE_AT + ALIGNED(f->size);
}

static co4_future *future_of_source(const co4_source *source)
{
    return (co4_future *)(uintptr_t)source; /* its first member */
}

/* ---- the source ---- */

/* The future is done, so its value is constant. */
static const void *given_value(co4_future *f)
{
    return f->has_value ? co4__future_value(f) : NULL;
}

static int poll_or_add(co4_future *f, co4_listener *l, bool add)
{
    int given = 0;
    co4__lock_take(&f->wait_queue.lock);
    bool done = f->done;
    if (!done && add)
        co4__listener_queue(&f->wait_queue, l, CO4__WAIT_SELECT, NULL, NULL);
    co4__lock_give(&f->wait_queue.lock);
    if (done)
        given = co4__ask_and_offer(l, f->code, given_value(f));
    if (given)
        l->ops->wake(l);
    return given;
}

static int future_poll(co4_source *source, co4_listener *l)
{
    return poll_or_add(future_of_source(source), l, false);
}

static int future_add(co4_source *source, co4_listener *l)
{
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    return poll_or_add(future_of_source(source), l, true);
}

static void future_drop(co4_source *source, co4_listener *l)
{
    co4__listener_drop(&future_of_source(source)->wait_queue, l);
}

static size_t future_size(const co4_source *source)
{
    return future_of_source(source)->size;
}

static const co4_source_ops future_ops = { future_poll, future_add, future_drop, future_size };

co4_source *co4_future_source(co4_future *future)
{
    return future ? &future->source : NULL;
}

/* ---- life ---- */

co4_future *co4_future_create(size_t size)
{
    return co4__future_make(size, 0);
}

co4_future *co4__future_make(size_t size, size_t more)
{
    if (size > SIZE_MAX / 4 || more > SIZE_MAX / 4)
        return NULL;
    co4_future *f = co4__pool_take(VALUE_AT + (more ? ALIGNED(size) + more : size));
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    f->source.ops = &future_ops;
    f->size = size;
    atomic_store_explicit(&f->refs, 1, memory_order_relaxed);
    return f;
}

co4_future *co4_future_retain(co4_future *future)
{
    if (future)
        atomic_fetch_add_explicit(&future->refs, 1, memory_order_relaxed);
    return future;
}

void co4_future_release(co4_future *future)
{
    if (!future || atomic_fetch_sub_explicit(&future->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (future->task) /* never started: the task does not know that the future is gone */
        co4__extension_of(future->task)->future = NULL;
    co4_task_release(future->task);
    size_t bytes = VALUE_AT + future->size;
    if (future->combined) {
        bytes = VALUE_AT + ALIGNED(future->size) + future->combined->bytes(future->combined);
        future->combined->free(future->combined);
    }
    co4__pool_drop(future, bytes);
}

bool co4__future_finish(co4_future *f, int code, const void *value)
{
    struct co4__list woken = { NULL, NULL };
    /* for the time without the lock: other threads see that it is done */
    co4_future *reference = NULL;
    unsigned taken = 0;
    co4__lock_take(&f->wait_queue.lock);
    if (f->done) {
        co4__lock_give(&f->wait_queue.lock);
        return false;
    }
    f->done = true;
    f->code = code;
    f->has_value = value != NULL;
    if (value && value != co4__future_value(f))
        memcpy(co4__future_value(f), value, f->size);
    for (struct co4__waiter *w = f->wait_queue.waiters.head, *next; w; w = next) {
        next = w->next;
        bool wants = co4__offer(co4__listener_of(w), code, given_value(f)) != 0;
        co4__wait_queue_remove(&f->wait_queue, w);
        if (wants)
            co4__list_push(&woken, w);
        if (taken == CO4__BATCH - 1) /* before the lock is released for the first time */
            reference = co4_future_retain(f);
        if (co4__wait_queue_may_yield(&f->wait_queue, &taken))
            next = f->wait_queue.waiters.head;
    }
    co4_task *task = f->task;
    f->task = NULL;
    co4__lock_give(&f->wait_queue.lock);
    co4__list_wake(&woken);
    co4_task_release(task);
    co4_future_release(reference);
    return true;
}

_Static_assert(CO4__CODE_LEAST > CO4__KEPT, "a code is no request of a source");

/* ---- completed by the program ---- */

int(co4_future_complete)(co4_future *future, const void *value, size_t size)
{
    if (!future || (future->size > 0 && (!value || size != future->size)))
        return CO4_EINVAL;
    if (future->of_task || future->combined)
        return CO4_ESTATE;
    return co4__future_finish(future, CO4_OK, future->size > 0 ? value : NULL) ? CO4_OK
                                                                               : CO4_ESTATE;
}

int co4_future_fail(co4_future *future, int code)
{
    if (!future || code >= 0 || code < CO4__CODE_LEAST)
        return CO4_EINVAL;
    if (future->of_task || future->combined)
        return CO4_ESTATE;
    return co4__future_finish(future, code, NULL) ? CO4_OK : CO4_ESTATE;
}

int co4_future_on_cancel(co4_future *future, void (*cancelled)(void *arg, co4_future *future),
                         void *arg)
{
    if (!future)
        return CO4_EINVAL;
    if (future->of_task || future->combined)
        return CO4_ESTATE;
    co4__lock_take(&future->wait_queue.lock);
    future->cancelled = cancelled;
    future->cancelled_arg = arg;
    co4__lock_give(&future->wait_queue.lock);
    return CO4_OK;
}

int co4_future_cancel(co4_future *future, int reason)
{
    if (!future)
        return CO4_EINVAL;
    if (future->combined) {
        future->combined->cancel(future);
        return CO4_OK;
    }
    co4__lock_take(&future->wait_queue.lock);
    co4_task *task = future->task ? co4_task_retain(future->task) : NULL;
    void (*cancelled)(void *, co4_future *) = future->done ? NULL : future->cancelled;
    void *arg = future->cancelled_arg;
    future->cancelled = NULL;
    co4__lock_give(&future->wait_queue.lock);
    if (task) {
        co4_task_cancel(task, reason); /* its extension has room for the reason */
        co4_task_release(task);
    } else if (!future->of_task) {
        if (cancelled)
            cancelled(arg, future);
        co4__future_finish(future, CO4_ECANCELED, NULL);
    }
    return CO4_OK;
}

/* ---- of a task ---- */

co4_future *co4_future_of(co4_task *task)
{
    bool fresh = task && atomic_load_explicit(&task->state, memory_order_acquire) == CO4__NEW;
    co4_future *f = fresh ? co4_future_create(co4__result_bytes(task->fiber.leaf)) : NULL;
    struct co4__task_extension *x = f ? co4__extension_make(task) : NULL;
    if (!x || x->future) {
        co4_future_release(f);
        co4_task_release(task);
        return NULL;
    }
    f->task = task;
    f->of_task = true;
    x->future = f;
    return f;
}

static int start(co4_future *future, co4_runtime *rt)
{
    if (!future)
        return CO4_EINVAL;
    co4__lock_take(&future->wait_queue.lock);
    co4_task *task = future->task ? co4_task_retain(future->task) : NULL;
    co4__lock_give(&future->wait_queue.lock);
    int err = task ? co4_runtime_schedule(rt, task) : CO4_ESTATE;
    co4_task_release(task);
    return err;
}

int co4_future_start(co4_future *future)
{
    return start(future, NULL);
}

co4_future *co4_async_start_on(co4_runtime *rt, co4_task *task)
{
    co4_future *f = co4_future_of(task);
    if (f && start(f, rt) != CO4_OK) {
        co4_future_release(f);
        return NULL;
    }
    return f;
}

co4_future *co4_async_start(co4_task *task)
{
    return co4_async_start_on(NULL, task);
}

void co4__future_kept(co4_future *f)
{
    co4_future_retain(f);
}

void co4__future_ended(co4_future *f, co4_task *t, int error, const void *value)
{
    if (error == CO4_OK && co4_task_cancelled(t))
        error = CO4_ECANCELED;
    co4__future_finish(f, error, f->size > 0 ? value : NULL);
    co4_future_release(f);
}

void co4__future_returned(co4_future *f, int code, const void *value)
{
    co4__future_finish(f, code < 0 ? code : CO4_OK, f->size > 0 ? value : NULL);
}

co4_future *co4_plain_future(const void *value, unsigned long size, int is_code)
{
    co4_future *f = co4_future_create(size);
    if (f)
        co4__future_returned(f, is_code ? co4__code_of(value, size) : CO4_OK, value);
    return f;
}

/* ---- waiting, as for any source ---- */

/* Reports a wait for the task of the future that cannot end. */

void co4__future_report_undriven(co4_future *f)
{
    if (!f)
        return;
    co4__lock_take(&f->wait_queue.lock);
    bool undriven = !f->done && f->task && co4__wait_hooks.is_undriven &&
                    co4__wait_hooks.is_undriven(f->task);
    co4__lock_give(&f->wait_queue.lock);
    if (undriven)
        co4__report_undriven();
}
