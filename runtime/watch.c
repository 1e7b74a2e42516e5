/* watch.c - what is done around steps for those who look on.
 *
 * A runtime's `watch` says who that is: its observer, test mode. It is read once a step and once when a task becomes
 * ready, and with nobody there that is all; all else stands here, out of the way of what runs fast.
 *
 * Whoever looks on wants to know tasks apart, and a task's address is used again. So a watched task has a number and the name
 * of the function that it is a call of, in its extra; both are given when it is scheduled. No memory for that: number 0. */
#include "internal.h"

#include "simulate.h"

static atomic_uint numbers;

void co4__watch_entered(co4_runtime *rt, co4_task *t, const char *function)
{
    struct co4__extra *x = co4__extra_make(t);
    if (!x)
        return;
    x->function = function;
    x->number = rt->world ? ++rt->world->numbers
                          : atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
}

uint32_t co4__watch_number(co4_task *t)
{
    struct co4__extra *x = co4__extra_of(t);
    return x ? x->number : 0;
}

const char *co4__watch_reason(const co4_task *t)
{
    const char *callee = "";
    for (const co4_frame *f = t->fiber.leaf; f && f->point > 0; f = f->caller) {
        callee = f->func->points[f->point - 1].callee;
        if (strncmp(f->func->name, "co4_", 4) != 0)
            break;
    }
    return callee;
}

static void told(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    const co4_runtime_options *o = &w->rt->options;
    if (o->observer)
        o->observer(o->observer_data, t, state);
    if (w->rt->world)
        co4__world_note(w, t, state);
}

void co4__watch_step(struct co4__worker *w, co4_task *t)
{
    told(w, t, CO4_TASK_RUNNING);
}

void co4__watch_stepped(struct co4__worker *w, co4_task *t, int why)
{
    if (why == CO4_ABI_WAITING)
        told(w, t, CO4_TASK_PAUSED);
    else if (why == CO4_ABI_READY)
        told(w, t, CO4_TASK_READY);
}

void co4__watch_ended(struct co4__worker *w, co4_task *t)
{
    told(w, t, CO4_TASK_STOPPED);
}

bool co4__watch_placed(co4_runtime *rt, co4_task *t)
{
    return rt->world && co4__world_keeps(rt, t);
}
