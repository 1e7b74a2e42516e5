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
#include "core/wait.h"
#include "debug/simulate.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sync/mailbox.h"

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

void co4__registry_enroll(co4_runtime *rt)
{
    if (rt->options.report)
        atomic_fetch_add(&co4__accounts, 1);
    co4__lock_take(&co4__runtimes_lock);
    rt->registry.number = rt->simulate.state ? ++co4__simulated_of(rt->simulate.state)->made
                                             : ++numbers;
    rt->registry.next = co4__runtimes;
    rt->registry.link = &co4__runtimes;
    if (rt->registry.next)
        rt->registry.next->registry.link = &rt->registry.next;
    co4__runtimes = rt;
    atomic_fetch_or_explicit(&rt->hook_bits,
                             atomic_load_explicit(&co4__hook_bits, memory_order_relaxed),
                             memory_order_relaxed);
    co4__lock_give(&co4__runtimes_lock);
}

void co4__registry_strike(co4_runtime *rt)
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
    if (rt->options.report)
        atomic_fetch_sub(&co4__accounts, 1);
}

static void set_bit(_Atomic uint8_t *bits, unsigned bit, bool on)
{
    if (on)
        atomic_fetch_or_explicit(bits, (uint8_t)bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(bits, (uint8_t)~bit, memory_order_relaxed);
}

/* Yields the lock after each CO4__BATCH runtimes. If two threads do this at once, the later one
 * decides: both copy the bit that `co4__hook_bits` has then. */
void co4__hook_bits_set(unsigned bit, bool on)
{
    struct co4__cursor c;
    co4__lock_take(&co4__runtimes_lock);
    set_bit(&co4__hook_bits, bit, on);
    co4__cursor_begin(&c);
    for (unsigned n = 1; c.at; n++) {
        on = (atomic_load_explicit(&co4__hook_bits, memory_order_relaxed) & bit) != 0;
        set_bit(&c.at->hook_bits, bit, on);
        c.at = c.at->registry.next;
        if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
    struct co4__worker *w = co4__local()->worker;
    if (w) /* the step that runs is observed from here on */
        co4__sched_near(w);
}

void co4_watch(int on)
{
    co4__hook_bits_set(CO4__AGED, on != 0);
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
            rt->registry.link = &rt->registry.next; /* co4__registry_strike() may still come */
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
