/* task.h - tasks, their states, lists of tasks. */
#ifndef CO4_TASK_INTERNAL_H
#define CO4_TASK_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/code.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* The runtime's kinds of fiber, continuing abi.h's. */
enum {
    CO4__KIND_RUN = 3, /* the task of a co4_run(): a part of struct co4__run */

    /* Tasks, by the result of their function; see result.h. */
    CO4__KIND_WIDE = 7,  /* a wide result, in the root frame, which stays as long as the task */
    CO4__KIND_CODE = 8,  /* plus a size: a signed number, and a negative one is an error code */
    CO4__KIND_VALUE = 32 /* plus a size up to CO4_ABI_RESULT_BYTES: any other result */
};

/* ORDER state: the table in task.c. */
enum co4__state {
    CO4__NEW,
    CO4__READY,
    CO4__RUNNING,
    CO4__WOKEN,
    CO4__PAUSED,
    CO4__STOPPED,
    CO4__ENDED /* becomes STOPPED when its worker has counted the end */
};
enum co4__event { CO4__SCHEDULE, CO4__STEP, CO4__WAKE, CO4__WAIT, CO4__YIELD, CO4__END };

/* What has a waiter. */
enum co4__waiter_kind { CO4__WAITER_TASK, CO4__WAITER_THREAD, CO4__WAITER_LISTENER };

/* 72 bytes on 64 bits:
 *
 *       0   leaf, last, pausing, kind, …   the fiber
 *      24   result                         its last field, and the first one of the waiter
 *      40   next, prev                     links of the one list that the task is in
 *      56   claim, kind                    the waiter
 *      58   state, cancel, refs            the task's, in bytes that the waiter leaves
 *      64   extension
 *
 * A task that waits needs no place for a result, and a ready one is in no wait queue. So the three
 * overlap: a waiter of its own would make each parked task a fifth larger. */
struct co4_task {
    union {
        /* The first field: a cast finds the task of a fiber. Its `runtime_id` (runtime_id.h) is
         * written when the task is scheduled and when it is freed. Any thread may read it. */
        co4_fiber fiber;
        struct {
            unsigned char co4__fiber[offsetof(co4_fiber, result)];
            struct co4__waiter waiter; /* while it waits: see wait.h */
        };
        struct {
            unsigned char
                co4__waiter[offsetof(co4_fiber, result) + offsetof(struct co4__waiter, next)];
            co4_task *next, *prev; /* while it is ready: in a queue, which belongs to its holder */
            unsigned char co4__claim[2];
            union {
                struct {
                    _Atomic uint8_t state; /* enum co4__state; transitions in task.c */
                    /* The reason (code.h) of its cancellation; 0: there is none. */
                    _Atomic int8_t cancel;
                };
                _Atomic uint16_t both;
            };
            _Atomic uint32_t refs; /* references, one of them the runtime's; and CO4__JOINED … */
        };
    };
    /* task_extension.c: state that few tasks have. Any thread may set it, once. */
    _Atomic(struct co4__task_extension *) extension;
};
_Static_assert(offsetof(co4_task, waiter) == offsetof(co4_task, fiber.result) &&
                   offsetof(co4_task, state) == offsetof(co4_task, waiter.of_owner) &&
                   offsetof(co4_task, extension) ==
                       offsetof(co4_task, waiter) + sizeof(struct co4__waiter),
               "the picture is true");

/* In `refs`: the task has joiners; a run that looks for duplicates has seen it (run.c); it is a
 * call of JavaScript, which waits for its end (host.c). */
#define CO4__JOINED    (UINT32_C(1) << 31)
#define CO4__SEEN      (UINT32_C(1) << 30)
#define CO4__FROM_HOST (UINT32_C(1) << 29)
#define CO4__REFS      (CO4__FROM_HOST - 1)

static inline co4_task *co4__task_of(co4_fiber *co4)
{
    return (co4_task *)(void *)co4;
}

static inline bool co4__kind_is_task(unsigned kind)
{
    return kind >= CO4__KIND_WIDE || kind == CO4_ABI_KIND_TASK;
}

static inline void co4__task_set_error(co4_task *t, int error)
{
    t->fiber.error = co4__code_pack(error);
}

/* Returns whether a primitive called on this fiber may pause. */
static inline bool co4__may_pause(const co4_fiber *co4)
{
    return co4->kind != CO4_ABI_KIND_GEN;
}

co4_task *co4__task_create(co4_frame *call, uint32_t refs);
/* … of which the first step runs already, on the C stack. */
co4_task *co4__task_create_bare(uint8_t kind, uint32_t refs);
enum co4__state co4__task_event(co4_task *t, enum co4__event ev); /* returns the state before */

/* The events of each wait, with the transitions of task.c. STEP: only its worker calls it. */
static inline void co4__task_steps(co4_task *t)
{
    atomic_store_explicit(&t->state, CO4__RUNNING, memory_order_relaxed);
}

/* YIELD. Only its worker calls it. */
static inline void co4__task_yields(co4_task *t)
{
    if (CO4__LIKELY(atomic_load_explicit(&t->state, memory_order_relaxed) == CO4__RUNNING))
        atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
    else
        co4__task_event(t, CO4__YIELD);
}

/* WAKE of a task that the caller has claimed. If it is PAUSED, it becomes READY; no other thread
 * changes that state. */
static inline bool co4__task_was_paused(co4_task *t)
{
    if (atomic_load_explicit(&t->state, memory_order_acquire) != CO4__PAUSED)
        return false;
    atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
    return true;
}

/* The position of the state in `both`. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CO4__BOTH(state) ((state) << 8)
#else
#define CO4__BOTH(state) (state)
#endif
#define CO4__BOTH_STATE  CO4__BOTH(0xff)
#define CO4__BOTH_CANCEL (0xffff - CO4__BOTH_STATE)

/* WAIT in a section. False: nothing has changed. */
static inline bool co4__task_waits_plainly(struct co4__local *here, co4_task *t)
{
    bool plain = co4__section_begin(here) == CO4__LOCKLESS &&
                 atomic_load_explicit(&t->both, memory_order_relaxed) == CO4__BOTH(CO4__RUNNING);
    if (CO4__LIKELY(plain))
        atomic_store_explicit(&t->state, CO4__PAUSED, memory_order_release);
    co4__section_end(here);
    return plain;
}

/* WAIT. CO4__RUNNING: the task waits, and the caller does not own it any more. CO4__WOKEN: it is
 * READY. CO4__READY: nothing has changed, as the task is cancelled; with `notified` that does not
 * count. */
static inline enum co4__state co4__task_waits(co4_task *t, bool notified)
{
    uint16_t old = atomic_load_explicit(&t->both, memory_order_relaxed), new;
    do {
        if (CO4__UNLIKELY((old & CO4__BOTH_CANCEL) != 0) && !notified)
            return CO4__READY;
        new = (old & CO4__BOTH_STATE) == CO4__BOTH(CO4__RUNNING)
                  ? (uint16_t)(old + CO4__BOTH(CO4__PAUSED) - CO4__BOTH(CO4__RUNNING))
                  : (uint16_t)((old & CO4__BOTH_CANCEL) | CO4__BOTH(CO4__READY));
    } while (CO4__UNLIKELY(!atomic_compare_exchange_weak_explicit(
        &t->both, &old, new, memory_order_seq_cst, memory_order_relaxed)));
    return (old & CO4__BOTH_STATE) == CO4__BOTH(CO4__RUNNING) ? CO4__RUNNING : CO4__WOKEN;
}

/* END. */
static inline void co4__task_stops(co4_task *t, enum co4__mode mode)
{
    if (CO4__LIKELY(mode == CO4__LOCKLESS))
        atomic_store_explicit(&t->state, CO4__STOPPED, memory_order_release);
    else
        co4__task_event(t, CO4__END);
}

/* Reports a misuse on standard error. In test mode and with a sanitizer it aborts. */
void co4__misuse(const char *what);
/* Warns on standard error of something that the program may not intend, unless *reported is set;
 * sets it. */
void co4__advise(atomic_bool *reported, const char *what);
/* Returns whether the depth is more than CO4_NEST_MAX, which is reported once. */
CO4__PRIVATE bool co4__nests_too_deep(unsigned depth);
/* Called before any thread is notified of the end of the task with this code. If nothing will ask
 * for the code, says so, once in a program. `observed`: a function of the program sees all ends. */
void co4__task_fails(co4_task *t, int error, bool observed);
void co4__task_unref(co4_task *t);
/* Adds a reference to a task that the caller has found in a list, under the list's lock. The task
 * leaves that list before it is freed. False: its last reference has just been released. Only tasks
 * with an extension are in such lists. */
bool co4__task_try_retain(co4_task *t);

/* A primitive returns its result, or fails at once. From time to time the task also yields. Every
 * pausing call of the library ends here or in a wait. Otherwise a task that calls it in a loop
 * would keep its worker. */
static inline int co4__done(co4_fiber *co4, int result)
{
    if (CO4__UNLIKELY(--co4__local()->budget < 0) && co4__may_pause(co4)) {
        co4->result.i = result;
        co4_abi_pause(co4, CO4_ABI_READY);
    }
    return result;
}

#endif
