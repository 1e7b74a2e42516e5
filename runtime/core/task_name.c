/* task_name.c - naming a task. */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "core/task_extension.h"

int co4_task_set_name(co4_task *task, const char *name)
{
    if (!task || !name)
        return CO4_EINVAL;
    struct co4__task_extension *x = co4__extension_make(task);
    if (!x)
        return CO4_ENOMEM;
    size_t n = strlen(name);
    if (n >= sizeof x->name)
        n = sizeof x->name - 1;
    /* Written byte by byte, the end first. A concurrent reader finds a string, but perhaps not a
     * name. */
    atomic_store_explicit(&x->name[n], 0, memory_order_relaxed);
    for (size_t i = 0; i < n; i++)
        atomic_store_explicit(&x->name[i], name[i], memory_order_relaxed);
    if (co4__task_hooks.is_named)
        co4__task_hooks.is_named(task);
    return CO4_OK;
}
