/* scope.c - the part of scopes that never pauses.
 *
 * Purpose: a scope is a group, and the task that runs its body. When the scope is cancelled, the
 * body is, too: its pausing calls return CO4_ECANCELED until the body has returned. Then the task
 * is as before. So a task's `cancel` may be temporary. Its extension records the scope that has set
 * it, the outermost if there are several. It also records the reason of a cancellation of the task
 * itself that came meanwhile.
 *
 * Invariants: a task's open scopes are a list, the innermost first, in the order of its frames. The
 * frames of an abandoned task are freed from the leaf on. Each frame that has opened a scope finds
 * it as the innermost, and stays until the children have ended. That wait is like any other: the
 * worker goes on meanwhile.
 *
 * Concurrency: the extension's `cancelling` guards these records. It is taken after all other
 * locks. The group's lock guards `body`. While `body` is set, and that lock is held, the body
 * cannot return; so any thread that may use the scope may cancel it.
 *
 * Rejected: a nested loop of other tasks' steps, as deep as many tasks fail. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/cancel.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "structured/group.h"

co4_scope *co4__scope_open(int flags, const void *at)
{
    co4_scope *s = co4__pool_take(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->group.scope = true;
    s->flags = flags;
    co4_task *t = co4__local()->current;
    struct co4__task_extension *x = t ? co4__extension_make(t) : NULL;
    if (t && !x) {
        co4__pool_drop(s, sizeof *s);
        return NULL;
    }
    s->task = s->body = t;
    s->at = at;
    if (x) {
        s->outer = x->scope.innermost;
        s->depth = s->outer ? s->outer->depth + 1 : 0;
        x->scope.innermost = s;
    }
    return s;
}

/* ---- the body ---- */

/* Called under the group's lock. Returns the task if it has claimed its wait; the caller ends that
 * wait without the lock. */
static co4_task *cancel_body(co4_scope *s, uint8_t *was)
{
    co4_task *t = s->body;
    if (!t)
        return NULL;
    struct co4__task_extension *x = co4__extension_of(t);
    co4__lock_take(&x->cancelling);
    if (x->scope.by ? x->scope.by->depth > s->depth : co4__cancel_keep(t, s->group.reason))
        x->scope.by = s;
    co4__lock_give(&x->cancelling);
    return co4__cancel_claim(t, was) ? t : NULL;
}

void co4__scope_body_ended(co4_scope *s)
{
    co4__lock_take(&s->group.wait_queue.lock);
    co4_task *t = s->body;
    s->body = NULL;
    struct co4__task_extension *x = t ? co4__extension_of(t) : NULL;
    if (x) {
        co4__lock_take(&x->cancelling);
        if (x->scope.by == s) {
            x->scope.by = NULL;
            x->reason = x->scope.own_reason;
            atomic_store(&t->cancel, co4__code_pack(x->scope.own_reason));
        }
        co4__lock_give(&x->cancelling);
    }
    co4__lock_give(&s->group.wait_queue.lock);
}

bool co4__scope_has_cancelled(co4_task *t, int reason)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (!x)
        return false;
    co4__lock_take(&x->cancelling);
    bool by_scope = x->scope.by != NULL;
    if (by_scope && x->scope.own_reason == 0)
        x->scope.own_reason = reason;
    co4__lock_give(&x->cancelling);
    return by_scope;
}

/* ---- its life ---- */

void co4__scope_close(co4_scope **scope)
{
    co4_scope *s = *scope;
    if (!s)
        return;
    struct co4__task_extension *x = s->task ? co4__extension_of(s->task) : NULL;
    if (x)
        x->scope.innermost = s->outer;
    co4__scope_body_ended(s);
    if (co4_scope_tasks(s) > 0)
        co4_group_cancel(&s->group, 0);
    co4__lock_take(&s->group.wait_queue.lock);
    s->group.left = true;
    bool gone = s->group.members == 0;
    co4__lock_give(&s->group.wait_queue.lock);
    if (gone)
        co4__pool_drop(s, sizeof *s);
}

bool co4__scope_holds(co4_task *t, const co4_frame *f, bool abandoned)
{
    struct co4__task_extension *x = co4__extension_of(t);
    co4_scope *s = x ? x->scope.innermost : NULL;
    const char *at = s ? s->at : NULL, *frame = (const char *)f;
    if (!s || at < frame || at >= frame + co4_abi_func_of(f->at)->frame_bytes)
        return false;
    co4__scope_body_ended(s);
    if (co4_scope_tasks(s) > 0)
        co4_group_cancel(&s->group, 0);
    co4__lock_take(&s->group.wait_queue.lock);
    if (s->group.members == 0) {
        co4__lock_give(&s->group.wait_queue.lock);
        return false;
    }
    if (abandoned && t->fiber.error == CO4_OK)
        co4__task_set_error(t, CO4_ENOMEM);
    if (abandoned)
        t->fiber.shields = 1; /* its code does not run again */
    co4__wait(&t->fiber, &s->group.wait_queue, CO4__WAIT_JOIN, NULL, NULL);
    t->fiber.pausing = CO4_ABI_RUNNING; /* the end of the step sees it */
    return true;
}

void co4__scopes_end(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    while (x && x->scope.innermost) {
        co4_scope *s = x->scope.innermost;
        co4__scope_close(&s);
    }
}

void co4__scope_failed(co4_scope *s, int code)
{
    co4__lock_take(&s->group.wait_queue.lock);
    if (s->failure == 0 && !s->decided)
        s->failure = code;
    s->decided = (s->flags & CO4_SCOPE_FIRST) != 0;
    co4__lock_give(&s->group.wait_queue.lock);
    if (!(s->flags & CO4_SCOPE_KEEP_GOING))
        co4_scope_cancel(s, 0);
}

int co4__scope_result(co4_scope *s, int result)
{
    co4__lock_take(&s->group.wait_queue.lock);
    if (s->failure < 0 || s->decided)
        result = s->failure;
    co4__lock_give(&s->group.wait_queue.lock);
    return result;
}

bool co4__scope_takes(int flags)
{
    return flags == 0 || flags == CO4_SCOPE_KEEP_GOING || flags == CO4_SCOPE_FIRST;
}

int co4__scope_wait__co4(co4_fiber *co4, co4_scope *s)
{
    co4__lock_take(&s->group.wait_queue.lock);
    if (s->group.members > 0)
        return co4__wait(co4, &s->group.wait_queue, CO4__WAIT_JOIN, NULL, NULL);
    co4__lock_give(&s->group.wait_queue.lock);
    return CO4_OK;
}

co4_scope *co4_scope_here(void)
{
    co4_task *t = co4_self();
    struct co4__task_extension *x = t ? co4__extension_of(t) : NULL;
    if (!t)
        return co4__local()->scope.plain;
    return !x ? NULL : x->scope.innermost ? x->scope.innermost : co4__scope_above(x);
}

/* ---- plain ---- */

int co4__plain_scope_open(int flags)
{
    struct co4__local *here = co4__local();
    co4_scope *s = co4__scope_open(flags, NULL);
    if (!s)
        return CO4_ENOMEM;
    if (!s->task) {
        s->outer = here->scope.plain;
        here->scope.plain = s;
    }
    return CO4_OK;
}

void co4__plain_scope_close(co4_scope *s)
{
    if (!s->task)
        co4__local()->scope.plain = s->outer;
    co4__scope_close(&s);
}

/* ---- children ---- */

static int refuse_without_scope(void)
{
    static atomic_bool reported;
    co4__advise(&reported, "co4_scope_spawn: no scope is open; call it inside a co4_scope_run()");
    return CO4_EINVAL;
}

/* The caller may be a child of a scope that its task has abandoned; that scope is cancelled. */
static int may_start(co4_scope *scope)
{
    if (!scope)
        return refuse_without_scope();
    if (CO4__UNLIKELY(scope->group.left) && co4_scope_here() != scope) {
        co4__misuse("co4_scope_spawn: the scope has ended");
        return CO4_ESTATE;
    }
    return co4_group_cancelled(&scope->group) ? CO4_ECANCELED : CO4_OK;
}

int co4_scope_start(co4_scope *scope, co4_task *task)
{
    if (!task)
        return scope ? CO4_ENOMEM : refuse_without_scope();
    int err = may_start(scope);
    if (err == CO4_OK)
        err = co4__group_enter(&scope->group, task);
    if (err == CO4_OK && (err = co4_runtime_schedule(NULL, task)) != CO4_OK)
        co4_group_unlink(&scope->group, task);
    co4_task_release(task);
    return err;
}

int co4_plain_child(co4_scope *scope, int code)
{
    if (!scope)
        return refuse_without_scope();
    if (code < 0)
        co4__scope_failed(scope, code);
    return CO4_OK;
}

int co4_scope_cancel(co4_scope *scope, int reason)
{
    if (!scope)
        return CO4_EINVAL;
    int err = co4_group_cancel(&scope->group, reason);
    co4__lock_take(&scope->group.wait_queue.lock);
    uint8_t was;
    co4_task *body = cancel_body(scope, &was);
    co4__lock_give(&scope->group.wait_queue.lock);
    if (body) {
        co4__cancel_claimed(body, was);
        co4__wake(&body->waiter);
    }
    return err;
}

size_t co4_scope_tasks(co4_scope *scope)
{
    if (!scope)
        return 0;
    co4__lock_take(&scope->group.wait_queue.lock);
    size_t n = scope->group.members;
    co4__lock_give(&scope->group.wait_queue.lock);
    return n;
}
