/* task_extension.c - state that few tasks have: a future, a group, a name, deferred calls.
 *
 * Purpose: a task is 72 bytes. State that only some tasks need is behind one pointer.
 *
 * Concurrency: the holder of a reference makes the extension when it first needs it; the first
 * thread to store the pointer wins. The extension is freed with the task. `future` is set before
 * the task is scheduled, and read by its end. Only the task accesses `defers`. The name may be read
 * while it is written: see co4_task_set_name(). */
#include "core/task_extension.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "memory/pool.h"
#include "platform/thread.h"

struct co4__task_extension *co4__extension_make(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (x)
        return x;
    struct co4__task_extension *fresh = co4__pool_take(sizeof *fresh);
    if (!fresh)
        return NULL;
    memset(fresh, 0, sizeof *fresh);
    if (atomic_compare_exchange_strong_explicit(&t->extension, &x, fresh, memory_order_acq_rel,
                                                memory_order_acquire))
        return fresh;
    co4__pool_drop(fresh, sizeof *fresh);
    return x;
}

void co4__extension_free(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (!x)
        return;
    struct co4__exits *exits = atomic_load_explicit(&x->exits, memory_order_relaxed);
    if (x->group.of) /* it never ran */
        co4__task_hooks.leaves_group(x, CO4_OK);
    if (exits)
        co4__task_hooks.frees_exits(exits);
    atomic_store_explicit(&t->extension, NULL, memory_order_relaxed);
    if (atomic_load_explicit(&x->record, memory_order_relaxed))
        co4__task_hooks.frees_record(x);
    co4__pool_drop(x, sizeof *x);
}

/* ---- the end of a task ---- */

/* Deferred calls, newest first; then local values; its future is completed; it leaves its group;
 * exit notices are sent. */
void co4__extension_ended(co4_task *t, int error, const void *value)
{
    struct co4__task_extension *x = co4__extension_of(t);
    if (co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(t, CO4__COMES);
    if (x->defers || x->defer_index)
        co4__task_hooks.runs_defers(x);
    if (x->locals || x->local_index)
        co4__task_hooks.ends_locals(x);
    co4_future *f = x->future;
    x->future = NULL;
    if (f)
        co4__task_hooks.ends_future(f, t, error, value);
    co4__extension_stopped(x, error);
    co4__extension_notified(x, error);
}

void co4__extension_notified(struct co4__task_extension *x, int error)
{
    struct co4__exits *e = atomic_load_explicit(&x->exits, memory_order_acquire);
    if (e)
        co4__task_hooks.sends_exits(e, error);
}

/* ---- names ---- */

size_t co4_task_name(const co4_task *task, char *out, size_t room)
{
    struct co4__task_extension *x = task ? co4__extension_of((co4_task *)(uintptr_t)task) : NULL;
    size_t n = 0;
    for (char c; x && n < sizeof x->name &&
                 (c = atomic_load_explicit(&x->name[n], memory_order_relaxed)) != '\0';
         n++)
        if (n + 1 < room)
            out[n] = c;
    if (room > 0)
        out[n < room ? n : room - 1] = '\0';
    return n;
}
