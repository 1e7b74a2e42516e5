/* task_record.c - the record of a task, which exists while step hooks are set.
 *
 * An observer has to distinguish tasks, but their addresses are reused. So a task has a number, and
 * more data, in a record behind its extension. The record is made when the task is scheduled or
 * stepped with step hooks set. If that allocation fails, the task is not shown. */
#include "debug/task_record.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "core/fiber.h"
#include "core/runtime_id.h"
#include "core/task_extension.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "sched/runtime.h"

static atomic_uint numbers;

struct co4__task_record *co4__record_make(co4_task *t, const char *function)
{
    struct co4__task_extension *x = co4__extension_make(t);
    struct co4__task_record *old = x ? atomic_load_explicit(&x->record, memory_order_acquire)
                                     : NULL;
    if (!x || old)
        return old;
    struct co4__task_record *fresh = co4__pool_take(sizeof *fresh);
    if (!fresh)
        return NULL;
    struct co4__simulation *simulation = co4__runtime_of(t)->simulate.state;
    *fresh = (struct co4__task_record){ .function = function };
    fresh->number = simulation ? ++simulation->tasks
                               : atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&x->record, fresh, memory_order_release);
    return fresh;
}

void co4__record_free(struct co4__task_extension *x)
{
    struct co4__task_record *w = atomic_load_explicit(&x->record, memory_order_acquire);
    if (w)
        co4__pool_drop(w, sizeof *w);
}

int64_t co4__record_clock(const co4_runtime *rt)
{
    const struct co4__simulation *s = rt->simulate.state;
    return s ? s->ops->now(s) : co4__clock();
}

uint32_t co4__record_number(co4_task *t)
{
    struct co4__task_record *x = co4__record_of(t);
    return x ? x->number : 0;
}

const char *co4__record_reason(const co4_task *t)
{
    const char *callee = "";
    const co4_abi_site *site;
    for (const co4_frame *f = t->fiber.leaf; f && (site = co4__site_of(f->at)) != NULL;
         f = f->caller) {
        callee = co4_abi_func_of(f->at)->name + site->callee;
        if (strncmp(co4_abi_func_of(f->at)->name, "co4_", 4) != 0)
            break;
    }
    return callee;
}
