/* registry.c - the list of all runtimes and co4_runs, for dumps, traces and gdb.
 *
 * Purpose: it lists runtimes only. Their tasks are found by a walk over the memory of tasks, which
 * is never reused for another type (kept.c). A table of tasks would make each spawn more expensive.
 *
 * Concurrency: the lock guards the list and the cursors. A thread that walks the list yields the
 * lock regularly. Its cursor points to the next runtime, and the end of that runtime advances
 * it. */
#include "debug/registry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "debug/on_step.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"

co4__lock co4__runtimes_lock;
co4_runtime *co4__runtimes;
static unsigned numbers; /* under the lock */

static struct co4__cursor *cursors; /* under the lock */

void co4__cursor_begin(struct co4__cursor *c)
{
    *c = (struct co4__cursor){ co4__runtimes, cursors };
    cursors = c;
}

void co4__cursor_end(const struct co4__cursor *c)
{
    for (struct co4__cursor **at = &cursors; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            return;
        }
}

void co4__registry_begins(co4_runtime *rt)
{
    /* Before the other one goes: a co4_run of another thread looks for any bit. */
    if (co4__task_hooks.as_thread)
        atomic_fetch_or_explicit(&co4__hook_bits, CO4__BEGINS_AT_ONCE, memory_order_relaxed);
    if (atomic_fetch_and(&co4__hook_bits, (uint8_t)~CO4__NOT_ASKED) & CO4__NOT_ASKED)
        co4__step_users_call(asks_environment);
    rt->around = (uint8_t)((co4__step_profiler ? CO4__PROFILED : 0) |
                           (co4__task_hooks.as_thread ? CO4__AS_THREADS : 0));
    co4__step_users_call(runtime_begins, rt);
    co4__lock_take(&co4__runtimes_lock);
    rt->registry.number = rt->simulate.state ? ++rt->simulate.state->runtimes : ++numbers;
    rt->registry.next = co4__runtimes;
    rt->registry.link = &co4__runtimes;
    if (rt->registry.next)
        rt->registry.next->registry.link = &rt->registry.next;
    co4__runtimes = rt;
    atomic_fetch_or_explicit(&rt->hook_bits,
                             atomic_load_explicit(&co4__hook_bits, memory_order_relaxed) &
                                 (uint8_t)~CO4__BEGINS_AT_ONCE,
                             memory_order_relaxed);
    co4__lock_give(&co4__runtimes_lock);
}

void co4__registry_ends(co4_runtime *rt)
{
    if (rt->registry.number == 0) /* never enrolled; other threads may write `link` */
        return;
    co4__lock_take(&co4__runtimes_lock);
    for (struct co4__cursor *c = cursors; c; c = c->next)
        if (c->at == rt)
            c->at = rt->registry.next;
    *rt->registry.link = rt->registry.next;
    if (rt->registry.next)
        rt->registry.next->registry.link = rt->registry.link;
    co4__lock_give(&co4__runtimes_lock);
    co4__step_users_call(runtime_ends, rt);
}

/* ---- forks ---- */

/* In the child, which has one thread: removes the runtimes that other threads drive. */
static void forget_others(void)
{
    for (co4_runtime **at = &co4__runtimes, *rt; (rt = *at) != NULL;) {
        co4_runtime **next = &rt->registry.next;
        const struct co4__local *driver = atomic_load_explicit(&rt->run.driver,
                                                               memory_order_relaxed);
        if (rt->threaded || (rt->local && driver != co4__local())) {
            *at = rt->registry.next;
            if (rt->registry.next)
                rt->registry.next->registry.link = at;
            rt->registry.next = NULL;
            rt->registry.link = &rt->registry.next; /* co4__registry_ends() may still come */
        } else {
            at = next;
        }
    }
    cursors = NULL;
}

void co4__registry_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&co4__runtimes_lock);
    if (how == CO4__FORK_CHILD)
        forget_others();
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&co4__runtimes_lock);
}
