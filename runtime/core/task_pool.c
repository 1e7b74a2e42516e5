/* task_pool.c - the memory of tasks. It is never reused for another type; a free task has no
 * runtime and no references. */
#include "core/task_pool.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/asan.h"
#include "base/public.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "memory/depot.h"
#include "memory/kept.h"

/* Under the address sanitizer the links and `runtime_id` of a free task stay readable. Its fields
 * from fiber.result up to `refs`, by which a surplus release is noticed, are poisoned. */
_Static_assert(sizeof(struct co4__object) <= offsetof(co4_task, fiber.pausing),
               "the links leave the id");
#define HIDDEN       offsetof(co4_task, fiber.result)
#define HIDDEN_BYTES (offsetof(co4_task, refs) - HIDDEN)

co4_task *co4__task_take(void)
{
    co4_task *t = co4__kept_take();
    if (t)
        ASAN_UNPOISON_MEMORY_REGION((char *)t + HIDDEN, HIDDEN_BYTES);
    return t;
}

void co4__task_drop(co4_task *t)
{
    co4__set_runtime_id(t, 0);
    atomic_store_explicit(&t->refs, 0, memory_order_relaxed); /* so a surplus release is reported */
    ASAN_POISON_MEMORY_REGION((char *)t + HIDDEN, HIDDEN_BYTES);
    co4__kept_drop(t);
}

struct walk {
    void (*each)(co4_task *t, void *arg);
    void *arg;
};

static void visit(void *object, void *walk)
{
    const struct walk *w = walk;
    w->each(object, w->arg);
}

void co4__task_each(void (*each)(co4_task *t, void *arg), void *arg)
{
    struct walk w = { each, arg };
    co4__kept_each(visit, &w);
}
