/* local.c - task-local values: a list in the task's extension that only the task accesses.
 *
 * Rejected: a table with an index for each key. Each task with one value would pay for all keys of
 * the program. */
#include "core/local.h"

#include <stddef.h>

#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "memory/pool.h"
#include "platform/thread.h"

struct co4__local_value {
    struct co4__local_value *next;
    const co4_task_local *key;
    void *value;
};

static struct co4__local_value *find(co4_task *t, const co4_task_local *key)
{
    struct co4__task_extension *x = t ? co4__extension_of(t) : NULL;
    struct co4__local_value *v = x ? x->locals : NULL;
    while (v && v->key != key)
        v = v->next;
    return v;
}

void *co4_task_local_get(const co4_task_local *key)
{
    const struct co4__local_value *v = find(co4__local()->current, key);
    return v ? v->value : NULL;
}

int co4_task_local_set(const co4_task_local *key, void *value)
{
    co4_task *t = co4__local()->current;
    if (!key)
        return CO4_EINVAL;
    if (!t)
        return CO4_ESTATE;
    struct co4__local_value *v = find(t, key);
    if (!v) {
        struct co4__task_extension *x = co4__extension_make(t);
        v = x ? co4__pool_take(sizeof *v) : NULL;
        if (!v)
            return CO4_ENOMEM;
        *v = (struct co4__local_value){ x->locals, key, NULL };
        x->locals = v;
    }
    v->value = value;
    return CO4_OK;
}

/* Destroys the values, the newest first. */
void co4__task_local_end(struct co4__task_extension *x)
{
    for (struct co4__local_value *v; (v = x->locals) != NULL;) {
        x->locals = v->next;
        if (v->value && v->key->destroy)
            v->key->destroy(v->value);
        co4__pool_drop(v, sizeof *v);
    }
}
