/* local.c - task-local values: a list in the task's extension that only the task accesses.
 *
 * Rejected: a table with an index for each key. Each task with one value would pay for all keys of
 * the program. */
#include "core/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/public.h"
#include "base/table.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "memory/pool.h"
#include "platform/thread.h"

enum { NEAR = 16 }; /* so many are looked at before there is an index */

struct co4__local_value {
    struct co4__table_node node; /* if there is an index */
    struct co4__local_value *next;
    const co4_task_local *key;
    void *value;
};

/* Without memory there is no index, and a search goes through the list. */
static bool make_index(struct co4__task_extension *x)
{
    if (!x->local_index && (x->local_index = co4__alloc(sizeof *x->local_index)) != NULL)
        for (struct co4__local_value *v = x->locals; v; v = v->next)
            co4__table_add_growing(x->local_index, &v->node, (uintptr_t)v->key);
    return x->local_index != NULL;
}

static struct co4__local_value *local_value_find(co4_task *t, const co4_task_local *key)
{
    struct co4__task_extension *x = t ? co4__extension_of(t) : NULL;
    unsigned looked = 0;
    for (struct co4__local_value *v = x ? x->locals : NULL; v; v = v->next) {
        if (v->key == key)
            return v;
        if (++looked == NEAR && make_index(x))
            return (struct co4__local_value *)(void *)co4__table_find(x->local_index,
                                                                      (uintptr_t)key);
    }
    return NULL;
}

void *co4__task_local_of(co4_task *t, const co4_task_local *key)
{
    const struct co4__local_value *v = local_value_find(t, key);
    return v ? v->value : NULL;
}

void *co4_task_local_get(const co4_task_local *key)
{
    return co4__task_local_of(co4__local()->current, key);
}

int co4_task_local_set(const co4_task_local *key, void *value)
{
    co4_task *t = co4__local()->current;
    if (!key)
        return CO4_EINVAL;
    return t ? co4__task_local_give(t, key, value) : CO4_ESTATE;
}

int co4__task_local_give(co4_task *t, const co4_task_local *key, void *value)
{
    struct co4__local_value *v = local_value_find(t, key);
    if (!v) {
        struct co4__task_extension *x = co4__extension_make(t);
        v = x ? co4__pool_take(sizeof *v) : NULL;
        if (!v)
            return CO4_ENOMEM;
        *v = (struct co4__local_value){ .next = x->locals, .key = key };
        x->locals = v;
        if (x->local_index)
            co4__table_add_growing(x->local_index, &v->node, (uintptr_t)key);
    }
    v->value = value;
    return CO4_OK;
}

/* Destroys the values, the newest first. */
void co4__task_local_end(struct co4__task_extension *x)
{
    for (struct co4__local_value *v; (v = x->locals) != NULL;) {
        x->locals = v->next;
        if (x->local_index)
            co4__table_remove(x->local_index, &v->node);
        if (v->value && v->key->destroy)
            v->key->destroy(v->value);
        co4__pool_drop(v, sizeof *v);
    }
    co4__table_free(&x->local_index);
}
