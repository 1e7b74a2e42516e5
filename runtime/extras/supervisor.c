/* supervisor.c - the part of supervising that never pauses: starting children, counting, and the
 * decisions after an end. woven/supervisor.c waits.
 *
 * Invariants: a child is known by the future of its result. Only the supervisor's task uses the
 * data here, so there is no lock. */
#include "extras/supervisor.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "core/task.h"
#include "extras/actor.h"

int co4__supervisor_open(struct co4__supervisor *s, const co4_supervision *how,
                         const co4_child_spec *specs, int count)
{
    bool right = how && specs && count > 0 && how->strategy >= CO4_ONE_FOR_ONE &&
                 how->strategy <= CO4_REST_FOR_ONE && how->restarts >= 0 && how->within >= 0;
    for (int i = 0; i < count && right; i++)
        right = specs[i].start && specs[i].restart >= CO4_PERMANENT &&
                specs[i].restart <= CO4_TEMPORARY && specs[i].patience >= 0;
    if (!right)
        return CO4_EINVAL;
    s->how = how;
    s->scope = co4__scope_open(CO4_SCOPE_KEEP_GOING, s);
    s->children = co4__alloc((size_t)count * sizeof *s->children);
    s->cases = co4__alloc((size_t)count * sizeof *s->cases);
    if (how->restarts > 0)
        co4_ring_init(&s->times, sizeof(int64_t), (size_t)how->restarts);
    if (!s->scope || !s->children || !s->cases)
        return CO4_ENOMEM;
    s->count = count;
    for (int i = 0; i < count; i++)
        s->children[i] = (struct co4_child){ .spec = &specs[i], .scope = s->scope, .wanted = true };
    return CO4_OK;
}

void co4__supervisor_close(struct co4__supervisor *s)
{
    for (int i = s->count - 1; i >= 0; i--) {
        if (s->children[i].end)
            co4_future_cancel(s->children[i].end, 0);
        co4_future_release(s->children[i].end);
    }
    co4__scope_close(&s->scope);
    co4_ring_destroy(&s->times);
    co4__free(s->cases);
    co4__free(s->children);
    *s = (struct co4__supervisor){ .count = 0 };
}

/* ---- starting ---- */

int co4__supervisor_start(struct co4__supervisor *s, int first, int last)
{
    for (int i = first; i <= last; i++) {
        struct co4_child *c = &s->children[i];
        if (!c->wanted || c->end)
            continue;
        int err = c->spec->start(c, c->spec->arg);
        if (err == CO4_OK && !c->end)
            err = CO4_ESTATE; /* the function has not started a task */
        if (err < 0)
            return err;
    }
    return CO4_OK;
}

int co4_child_runs(co4_child *child, co4_future *end)
{
    if (!child || !end)
        return CO4_EINVAL;
    if (child->end)
        return CO4_ESTATE;
    child->end = co4_future_retain(end);
    return CO4_OK;
}

/* Takes over the reference to the task if it fails. */
static int prepare(const co4_child *child, co4_task *task)
{
    int err = !child ? CO4_EINVAL : !task ? CO4_ENOMEM : child->end ? CO4_ESTATE : CO4_OK;
    if (err == CO4_OK && child->spec->name)
        err = co4_task_set_name(task, child->spec->name);
    if (err == CO4_OK && co4__group_enter(&child->scope->group, task) == CO4_ENOMEM)
        err = CO4_ENOMEM; /* a task that is in a group already stays there */
    if (err != CO4_OK)
        co4_task_release(task);
    return err;
}

int co4_child_begin(co4_child *child, co4_task *task)
{
    int err = prepare(child, task);
    if (err != CO4_OK)
        return err;
    co4_future *end = co4_future_of(task);
    err = end ? co4_future_start(end) : CO4_ENOMEM;
    if (err == CO4_OK)
        err = co4_child_runs(child, end);
    co4_future_release(end);
    return err;
}

int co4_child_begin_actor(co4_child *child, co4_actor *actor, co4_task *task)
{
    int err = prepare(child, task);
    if (err != CO4_OK)
        return err;
    err = co4_actor_start(actor, task);
    if (err != CO4_OK)
        return err;
    co4_future *end = co4_actor_end(actor);
    err = co4_child_runs(child, end);
    co4_future_release(end);
    return err;
}

int co4_plain_supervised(co4_child *child, co4_future *end)
{
    int err = child && !end ? CO4_ENOMEM : co4_child_runs(child, end);
    co4_future_release(end);
    return err;
}

int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started)
{
    if (started != CO4_OK)
        return started;
    co4_future *end = co4_actor_end(actor);
    int err = co4_child_runs(child, end);
    co4_future_release(end);
    return err;
}

/* ---- ends ---- */

int co4__supervisor_watch(struct co4__supervisor *s)
{
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        s->cases[i] = (co4_case)CO4_CASE(co4_future_source(s->children[i].end), NULL);
        n += s->children[i].end != NULL;
    }
    return n;
}

int co4__supervisor_ended(struct co4__supervisor *s, int i)
{
    struct co4_child *c = &s->children[i];
    int code = co4_future_await_until(c->end, NULL, CO4_NOW);
    co4_future_release(c->end);
    c->end = NULL;
    if (s->how->ended)
        s->how->ended(s->how->arg, c->spec, code);
    return code;
}

bool co4__supervisor_again(struct co4__supervisor *s, int i, int code)
{
    struct co4_child *c = &s->children[i];
    c->wanted = c->spec->restart == CO4_PERMANENT ||
                (c->spec->restart == CO4_TRANSIENT && code < 0);
    return c->wanted;
}

void co4__supervisor_concerned(struct co4__supervisor *s, int i, int *first, int *last)
{
    *first = s->how->strategy == CO4_ONE_FOR_ALL ? 0 : i;
    *last = s->how->strategy == CO4_ONE_FOR_ONE ? i : s->count - 1;
}

int co4__supervisor_count(struct co4__supervisor *s, int code)
{
    int64_t now = co4_now();
    int too_often = code < 0 ? code : CO4_ESTATE;
    if (s->how->restarts == 0)
        return too_often;
    if (co4_ring_len(&s->times) == (size_t)s->how->restarts) {
        int64_t oldest;
        memcpy(&oldest, co4_ring_peek(&s->times, 0), sizeof oldest);
        if (now - oldest <= s->how->within)
            return too_often;
        co4_ring_pop(&s->times, NULL);
    }
    return co4_ring_push(&s->times, &now);
}

int64_t co4__child_stop(struct co4_child *child)
{
    if (!child->spec->stop) {
        co4_future_cancel(child->end, 0);
        return CO4_NEVER;
    }
    child->spec->stop(child->spec->arg);
    return co4_after(child->spec->patience);
}
