/* insight.h - what insight.c, watch.c, trace.c and signal.c share. */
#ifndef CO4_INSIGHT_INTERNAL_H
#define CO4_INSIGHT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"
#include "sync/mailbox.h"

/* What a task has once somebody watches. Written by its scheduler at first, then by the worker that
 * steps it, before it is settled; `wakes` by whoever has just made it ready. */
struct co4__watched {
    uint32_t number;
    uint32_t wakes;
    const char *function; /* the call that it is */
    const char
        *reason;   /* the call it waits in, since it has paused; NULL: it has been stepped again */
    int64_t since; /* its last change of state; 0: nobody had the clock on */
};

struct co4__watched *co4__watched_of(co4_task *t); /* NULL: nobody has watched */
struct co4__watched *co4__watched_make(co4_task *t, const char *function); /* NULL: out of memory */
int64_t co4__watch_clock(const co4_runtime *rt);

/* What is told of a point; NULL: nothing has begun there, or its function says nothing. */
static inline const co4_abi_site *co4__site_of(const co4_abi_point *at)
{
    return at && at->id > 0 && at->func->sites ? &at->func->sites[at->id - 1] : NULL;
}

/* A runtime or co4_run that dumps, traces and gdb know of. Under co4__runtimes_lock. */
extern co4__lock co4__runtimes_lock;
extern co4_runtime *co4__runtimes;
void co4__insight_enroll(co4_runtime *rt);
void co4__insight_strike(co4_runtime *rt);
void co4__insight_report(co4_runtime *rt); /* as its options say */
/* In `watch` of all runtimes, also of those to come. */
void co4__watch_all(unsigned bit, bool on);

void co4__account_add(struct co4__account *a, co4_mailbox *mb);
void co4__account_drop(struct co4__account *a);

/* What share/co4/gdb/co4.py has to know of the library, which may have no debug information: its
 * `layout_fields` are these, in this order. Offsets are in bytes. */
#define CO4__LAYOUT_VERSION 4
struct co4__layout {
    uint32_t version, reserved;
    const void *runtimes, *slabs, *fresh, *hidden; /* where the pointers stand */
    uint32_t slab_next, slab_first, slab_bytes;
    uint32_t hidden_next, hidden_task; /* the latter inverted */
    uint32_t task_bytes, task_home, task_extra, task_state, task_wait, task_cancel, task_leaf,
        task_buffer, task_where;
    uint32_t timer_place, place_second, second_first;
    uint32_t extra_name, extra_watched, watched_function;
    uint32_t runtime_next, runtime_number, runtime_main;
    uint32_t mailbox_place, lock_place;
};
#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default"))) /* a shared library that is stripped tells it, too */
#endif
extern const struct co4__layout co4__layout;

/* signal.c: without threads, for who drives */
void co4__signal_look(void);

/* trace.c: under CO4__TRACED */
void co4__trace_env(void);
void co4__trace_thread_exit(void);
void co4__trace_step(struct co4__worker *w, const struct co4__watched *x, const char *waited);
void co4__trace_stepped(struct co4__worker *w, const struct co4__watched *x, co4_task *t, int why);
void co4__trace_entered(co4_runtime *rt, co4_task *t, const struct co4__watched *x);
void co4__trace_woken(co4_runtime *rt, const struct co4__watched *x);
void co4__trace_named(co4_task *t);

co4__fork_handler co4__insight_fork;
co4__fork_handler co4__trace_fork;

#endif
