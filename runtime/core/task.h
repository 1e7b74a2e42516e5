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
#include "platform/exclusive.h"
#include "platform/fork.h"
#include "platform/thread.h"

/* The runtime's kinds of fiber, continuing abi.h's. */
enum {
    CO4__KIND_RUN = 3, /* the task of a co4_run(): part of struct co4__run, never freed by itself */
    CO4__KIND_THREAD = 4, /* not a fiber at all: a blocked thread standing in a list of waiters */
    CO4__KIND_WIDE = 5,   /* a task whose root frame stays until its wide result is dropped */
    CO4__KIND_LISTENER =
        6 /* not a fiber either: a co4_listener's `space`, standing in such a list */
};

/* ORDER state: the table in task.c. */
enum co4__state {
    CO4__NEW,
    CO4__READY,
    CO4__RUNNING,
    CO4__WOKEN,
    CO4__PAUSED,
    CO4__STOPPED,
    CO4__ENDED /* as good as STOPPED: between the two its worker counts it */
};
enum co4__event { CO4__SCHEDULE, CO4__STEP, CO4__WAKE, CO4__WAIT, CO4__GIVE_WAY, CO4__END };

/* The word `wait` of a task: the state of the claim, how it waits, and for what. See wait.c. */
enum co4__wait {
    CO4__WAIT_NONE = 0, /* claimed, or not waiting */
    CO4__QUEUED = 1,    /* the thread that sets it to NONE owns the wake */
    CO4__TIMED = 2,     /* also a timer's: waiting.where is that */
    CO4__SHIELDED = 4,  /* cancelling leaves it alone */
    /* what for; tells people only */
    CO4__WAIT_TIMER = 1 << 3,
    CO4__WAIT_RECEIVE = 2 << 3,
    CO4__WAIT_SEND = 3 << 3,
    CO4__WAIT_JOIN = 4 << 3,
    CO4__WAIT_SELECT = 5 << 3,
    CO4__WAIT_READ = 6 << 3,
    CO4__WAIT_WRITE = 7 << 3, /* and all other locks */
    CO4__WHAT_FOR = 7 << 3,
    CO4__BUSY = 1 << 6 /* in place of LISTED: a source is between acquire and complete (source.c) */
};

/* 72 bytes on 64 bits. While a task waits, fiber.result is not needed for a result, and tells
 * where it waits: see struct co4__waiting. */
struct co4_task {
    /* First: a task is found from its fiber by a cast. Its `runtime_id` (runtime_id.h) is written
     * when the task is scheduled and when it is freed. Any thread may read it. */
    co4_fiber fiber;

    /* Links of the one list the task is in. Ready: the queue (next only), owned by the holder of
     * the queue. Waiting: the waiters of a mailbox or join bucket, guarded by its lock. */
    co4_task *next, *prev;

    _Atomic(struct co4__task_extension *)
        extension; /* task_extension.c: what few tasks have; set once, by anyone */
    union {
        struct {
            _Atomic uint8_t state; /* enum co4__state; transitions in task.c */
            _Atomic int8_t cancel; /* the reason (code.h), once it is cancelled; 0: it is not */
        };
        _Atomic uint16_t both;
    };
    _Atomic uint8_t wait;  /* enum co4__wait; transitions in wait.c */
    int8_t error;          /* how it ended (code.h); written before `state` becomes STOPPED */
    _Atomic uint32_t refs; /* owners, the runtime being one while the task is scheduled; and: */
};

#define CO4__JOINED (UINT32_C(1) << 31) /* in `refs`: someone waits for the end */

/* What fiber.result holds while the task waits. The waker writes the result over the first word
 * alone; the second stays readable for the task's own thread. */
struct co4__waiting {
    void *buffer; /* the message to copy to or from; the co4_task * to join */
    void *where;  /* struct co4__wait_queue *, NULL for none; CO4__TIMED: struct co4__timer * */
};
_Static_assert(sizeof(co4_task) <= sizeof(((co4_listener *)0)->space),
               "a listener stands like a task");
_Static_assert(sizeof(struct co4__waiting) <= CO4_ABI_RESULT_BYTES, "waiting overlays the result");

static inline struct co4__waiting *co4__waiting(co4_task *t)
{
    return (struct co4__waiting *)(void *)&t->fiber.result;
}

static inline co4_task *co4__task_of(co4_fiber *co4)
{
    return (co4_task *)(void *)co4;
}

/* How it ended, or is to end: CO4_OK or a code of the table. */
static inline int co4__task_error(const co4_task *t)
{
    return co4__code_unpack(t->error);
}

static inline void co4__task_set_error(co4_task *t, int error)
{
    t->error = co4__code_pack(error);
}

/* May a primitive called on this fiber pause? */
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

/* All of `from`, behind those of `to`. */
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

/* Does t stand at an end of it? */
static inline bool co4__list_ends_with(const struct co4__list *l, const co4_task *t)
{
    return l->head == t || l->tail == t;
}

co4_task *co4__task_create(co4_frame *call, uint32_t refs);
enum co4__state co4__task_event(co4_task *t, enum co4__event ev); /* returns the state before */

/* Events that come with each wait, as task.c has them. STEP: of its worker alone. */
static inline void co4__task_steps(co4_task *t)
{
    atomic_store_explicit(&t->state, CO4__RUNNING, memory_order_relaxed);
}

/* WAKE of a task that the caller has claimed and that is PAUSED: it is READY then. Nobody else
 * changes that state. */
static inline bool co4__task_was_paused(co4_task *t)
{
    if (atomic_load_explicit(&t->state, memory_order_acquire) != CO4__PAUSED)
        return false;
    atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
    return true;
}

/* Where the state stands in `both`. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CO4__BOTH(state) ((state) << 8)
#else
#define CO4__BOTH(state) (state)
#endif
#define CO4__BOTH_STATE  CO4__BOTH(0xff)
#define CO4__BOTH_CANCEL (0xffff - CO4__BOTH_STATE)

/* WAIT of the exclusive owner. False: nothing has changed. */
static inline bool co4__task_waits_exclusive(struct co4__local *here, co4_task *t)
{
    bool plain = co4__exclusive_begin(here) &&
                 atomic_load_explicit(&t->both, memory_order_relaxed) == CO4__BOTH(CO4__RUNNING);
    if (CO4__LIKELY(plain))
        atomic_store_explicit(&t->state, CO4__PAUSED, memory_order_release);
    co4__exclusive_end(here);
    return plain;
}

/* WAIT. CO4__RUNNING: it waits, and is no longer ours; CO4__WOKEN: it is READY; CO4__READY: nothing
 * has changed, for it has been cancelled, unless that was `told`. */
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

/* Says on standard error what a program has done; in test mode, and with a sanitizer, it ends
 * there. */
void co4__misuse(const char *what);
void co4__task_wake(co4_task *t); /* its result is set, and it is in no list */
void co4__task_unref(co4_task *t);
/* For who has found it by a list that it leaves before it goes, under that list's lock: one more
 * owner. False: its last one has just gone. Only a task with an extra is found so. */
bool co4__task_try_retain(co4_task *t);

/* The primitive has its result, or has failed at once; still, now and then, the task yields to
 * others. Every pausing call of the library ends here or in a wait: one that did not would keep its
 * worker for as long as it is called in a loop. */
static inline int co4__done(co4_fiber *co4, int result)
{
    if (CO4__UNLIKELY(--co4__local()->budget <= 0) && co4__may_pause(co4)) {
        co4->result.i = result;
        co4_abi_pause(co4, CO4_ABI_READY);
    }
    return result;
}

#endif
