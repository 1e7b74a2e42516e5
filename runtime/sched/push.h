/* push.h - a task goes into the queue of a worker. */
#ifndef CO4_PUSH_INTERNAL_H
#define CO4_PUSH_INTERNAL_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/count.h"
#include "platform/thread.h"
#include "sched/idle.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"

static inline struct co4__worker *co4__worker_here_of(co4_runtime *rt)
{
    struct co4__worker *w = co4__local()->worker;
    return w && w->rt == rt ? w : NULL;
}

/* A separate function, so that a push saves no registers for it. */
void co4__sched_call_monitor(co4_runtime *rt);

static inline void co4__pushed(struct co4__worker *w, enum co4__push how)
{
    if (CO4__UNLIKELY(how != CO4__PUSHED && co4__runtime_is_lost(w->rt)))
        return; /* no thread runs the tasks */
    if (how == CO4__PUSH_WAKE)
        co4__worker_wake(w);
    else if (CO4__UNLIKELY(how == CO4__PUSH_CALL))
        co4__sched_call_monitor(w->rt);
}

/* `self`: the worker of this thread, or NULL. */
static inline void co4__push_to(struct co4__worker *w, struct co4__worker *self, co4_task *t)
{
    if (w == self) {
        co4__queue_push(&w->queue, t);
        return;
    }
    if (self)
        co4__count(&self->stats.sent, 1);
    co4__sched_push_remote(w, t);
}

/* Like co4__sched_place(), without step hooks. */
static inline void co4__sched_deliver(co4_runtime *rt, co4_task *t)
{
    if (rt->places == 1)
        co4__push_to(&rt->workers[0], co4__worker_here_of(rt), t);
    else
        co4__several.place(rt, t);
}

#endif
