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
    CO4__KIND_RUN = 3,      /* the task of a co4_run(): a part of struct co4__run */
    CO4__KIND_THREAD = 4,   /* not a fiber: a blocked thread in a wait queue */
    CO4__KIND_LISTENER = 5, /* not a fiber: a co4_listener's `space` in a wait queue */

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

/* The values of a task's `wait`: the state of the claim, how it waits, and for what. See wait.c. */
enum co4__wait {
    CO4__WAIT_NONE = 0, /* claimed, or not waiting */
    CO4__QUEUED = 1,    /* the thread that sets it to NONE owns the wake */
    CO4__TIMED = 2,     /* the task also has a timer: waiting.where points to it */
    CO4__SHIELDED = 4,  /* a cancellation does not end the wait */
    /* what the task waits for; only shown to users */
    CO4__WAIT_TIMER = 1 << 3,
    CO4__WAIT_RECEIVE = 2 << 3,
    CO4__WAIT_SEND = 3 << 3,
    CO4__WAIT_JOIN = 4 << 3,
    CO4__WAIT_SELECT = 5 << 3,
    CO4__WAIT_READ = 6 << 3,
    CO4__WAIT_WRITE = 7 << 3, /* and all other locks */
    CO4__WHAT_FOR = 7 << 3,
    CO4__BUSY = 1 << 6 /* a source is between acquire and complete (source.c); not QUEUED */
};

/* 72 bytes on 64 bits. While a task waits, fiber.result is not needed for a result. Then it says
 * where the task waits: see struct co4__waiting. */
struct co4_task {
    /* The first field: a cast finds the task of a fiber. Its `runtime_id` (runtime_id.h) is written
     * when the task is scheduled and when it is freed. Any thread may read it. */
    co4_fiber fiber;

    /* Links of the one list the task is in. Ready: the queue (`next` only), which belongs to its
     * holder. Waiting: the waiters of a mailbox or join bucket, guarded by its lock. */
    co4_task *next, *prev;

    /* task_extension.c: state that few tasks have. Any thread may set it, once. */
    _Atomic(struct co4__task_extension *) extension;
    union {
        struct {
            _Atomic uint8_t state; /* enum co4__state; transitions in task.c */
            _Atomic int8_t cancel; /* the reason (code.h) of its cancellation; 0: there is none */
        };
        _Atomic uint16_t both;
    };
    _Atomic uint8_t wait; /* enum co4__wait; transitions in wait.c */
    int8_t error;         /* the code of its end (code.h); written before `state` becomes STOPPED */
    _Atomic uint32_t refs; /* references, one of them the runtime's; and JOINED */
};

#define CO4__JOINED (UINT32_C(1) << 31) /* in `refs`: the task has joiners */

/* The contents of fiber.result while the task waits. The waker writes the result to the first word
 * only. The second stays readable for the task's own thread. */
struct co4__waiting {
    void *buffer; /* the message to copy to or from, or the co4_task * to join */
    void *where;  /* struct co4__wait_queue *, NULL for none; CO4__TIMED: struct co4__timer * */
};
_Static_assert(sizeof(co4_task) <= sizeof(((co4_listener *)0)->space),
               "a listener has room for a task");
_Static_assert(sizeof(struct co4__waiting) <= CO4_ABI_RESULT_BYTES, "waiting overlays the result");

static inline struct co4__waiting *co4__waiting(co4_task *t)
{
    return (struct co4__waiting *)(void *)&t->fiber.result;
}

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
    t->error = co4__code_pack(error);
}

/* Returns whether a primitive called on this fiber may pause. */
static inline bool co4__may_pause(const co4_fiber *co4)
{
    return co4->kind != CO4_ABI_KIND_GEN;
}

struct co4__list {
    co4_task *head, *tail;
};

static inline void co4__list_push(struct co4__list *l, co4_task *t)
{
    t->next = NULL;
    t->prev = l->tail;
    if (l->tail)
        l->tail->next = t;
    else
        l->head = t;
    l->tail = t;
}

static inline void co4__list_insert_after(struct co4__list *l, co4_task *before, co4_task *t)
{
    t->prev = before;
    t->next = before->next;
    if (t->next)
        t->next->prev = t;
    else
        l->tail = t;
    before->next = t;
}

static inline void co4__list_remove(struct co4__list *l, co4_task *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        l->head = t->next;
    if (t->next)
        t->next->prev = t->prev;
    else
        l->tail = t->prev;
}

/* Appends all of `from` to `to`. */
static inline void co4__list_append(struct co4__list *to, struct co4__list *from)
{
    if (!from->head)
        return;
    from->head->prev = to->tail;
    if (to->tail)
        to->tail->next = from->head;
    else
        to->head = from->head;
    to->tail = from->tail;
    from->head = from->tail = NULL;
}

/* Returns whether t is at an end of the list. */
static inline bool co4__list_ends_with(const struct co4__list *l, const co4_task *t)
{
    return l->head == t || l->tail == t;
}

co4_task *co4__task_create(co4_frame *call, uint32_t refs);
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
/* Writes to standard error what the program may not intend, unless *reported; sets that. */
void co4__advise(atomic_bool *reported, const char *what);
/* Whether it is more than CO4_NEST_MAX, which is reported once. */
bool co4__nests_too_deep(unsigned depth);
void co4__task_wake(co4_task *t); /* its result is set, and no list has it */
/* Wakes t, and returns co4__done(co4, CO4_OK). */
int co4__task_wake_done(co4_fiber *co4, co4_task *t);
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
