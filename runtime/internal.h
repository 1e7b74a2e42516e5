/* internal.h - the map of the runtime.
 *
 * A folder uses those before it, never those behind it; tests/checks/layers has the references that
 * are still to go.
 *
 *   base/        alloc.c, malloc with a switch that makes it fail; error.c, codes to texts;
 *                ring.c, queues for one user at a time; text.c, words and numbers for people
 *   platform/    pthread.c or none.c, threads, clock, parking, per-thread state; fd.c, descriptors
 *                and signals; fork.c; alone.c, a thread that does without atomic updates
 *   memory/      pool.c, frames and tasks by size class, per thread, with a shared depot
 *   core/        fiber.c, the trampoline, frames, forced pauses; gen.c, generators; task.c,
 *                states, handles, wakes, join, yield; entry.c, what woven code calls for
 *                co4_spawn; extra.c, what few tasks have; local.c, values of tasks; wait.c, where
 *                a task waits: listing, claiming, cancelling; timer.c, deadlines, a heap a worker;
 *                home.c, runtimes by number
 *   sched/       queue.c, a worker's queue; worker.c, fetch, step, settle, doze; policy.c,
 *                sched.c, which worker gets a task; rescue.c, tasks of a worker that is stuck;
 *                runtime.c, the public life of a runtime; run.c, co4_run; blocking.c, threads for
 *                ordinary calls
 *   sync/        messages.c, a ring of messages; mailbox*.c; source.c, listeners of awaits and
 *                selects; sync.c, locks and the like; timer_source.c, timers and tickers
 *   structured/  group.c, scope.c, future.c; exit.c, who is told that a task has ended
 *   extras/      combine.c, sources made of sources; gather.c, futures of futures; collect.c,
 *                futures in the order in which they are done; broadcast.c, actor.c, supervisor.c,
 *                stream.c, retry.c
 *   debug/       watch.c, what is done around steps; insight.c, dumps and counters; trace.c, for
 *                Perfetto; signal.c, a dump at a signal; stall.c, long steps; deadlock.c;
 *                simulate.c, test mode
 *   plain/       the same API for sources built with CO4_PLAIN
 *   small/       takes the place of tasks, pool and mailboxes in libco4_small.a
 *
 * What pauses itself is pausable C, in a folder woven/ beside what it calls.
 *
 * Locks, in this order; a later one may be taken under an earlier one, never the reverse:
 *   all runtimes, the accounts of mailboxes (insight.c)
 *   a task's guard (group.c)  →  a group, from above to below, and a scope before those that are
 *      opened inside  →  a collector
 *   →  a place (mailbox, broadcast, join bucket, future, end of a task, timer, all of sync.c),
 *      never two of them
 *   →  what listeners have: maps from below to above (combine.c), a gathering (gather.c)  →  a
 *      claim (source.c)
 *   →  a heap of timers, a task's `cancelling` (scope.c)  →  a depot class
 * Under any of them a thread may be made to stop being alone; that waits for no thread that takes a
 * lock (alone.c). Nothing but a depot class is taken under these: an actor, the threads for
 * blocking calls, the started runtimes, who joins one, all caches of the pool, all rings of a
 * trace, dumps at a signal (signal.c). Wakes are sent with no lock held, and the user's functions
 * called with none. */
#ifndef CO4_INTERNAL_H
#define CO4_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define CO4__LIKELY(x)     __builtin_expect(!!(x), 1)
#define CO4__UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define CO4__NOINLINE      __attribute__((noinline))
#define CO4__ALWAYS_INLINE inline __attribute__((always_inline))
/* Of a variable that hot code reads: defined in this library, so its address is no load, also where
 * the code is position-independent. */
#define CO4__OWN __attribute__((visibility("hidden")))
#pragma GCC visibility push(default)
#else
#define CO4__LIKELY(x)   (x)
#define CO4__UNLIKELY(x) (x)
#define CO4__NOINLINE
#define CO4__ALWAYS_INLINE inline
#define CO4__OWN
#endif

#include "base/simulation.h"
#include "co4.h"
#include "co4/abi.h"
#include "co4/test.h"

/* The pausable functions of the headers, as woven code calls them. */
int co4_yield__co4(co4_fiber *co4);
int co4_sleep__co4(co4_fiber *co4, int64_t ns);
int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline);
int co4_task_join__co4(co4_fiber *co4, co4_task *task);
int co4_task_join_until__co4(co4_fiber *co4, co4_task *task, int64_t deadline);
int co4_mailbox_put__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg);
int co4_mailbox_put_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, int64_t deadline);
int co4_mailbox_get__co4(co4_fiber *co4, co4_mailbox *mb, void *out);
int co4_mailbox_get_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, int64_t deadline);

/* What CO4_PLAIN's entry points call. */
co4_task *co4_plain_task(int ran);
void co4_plain_gen_begin(void);
co4_gen *co4_plain_gen_end(void);
int co4_plain_child(co4_scope *scope, int code);
int co4_plain_actor(co4_actor *actor, int code);
int co4_plain_supervised(co4_child *child, int code);
int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);
co4_future *co4_plain_future(const void *value, unsigned long size);
co4_future *co4_plain_future_code(int code, unsigned long is_int);

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

/* ---- platform_pthread.c, platform_none.c -------------------------------------------------------
 */

/* What the runtime knows of a thread. Only that thread touches it, but for what is alone.c's. Woven
 * code never sees it; runtime code asks for it anew in each function, since the caller may have
 * moved. */
struct co4__local {
    co4_task *current;          /* whose step runs here; NULL outside steps */
    struct co4__worker *worker; /* whose loop runs here, innermost; NULL on other threads */
    struct co4__cache *cache;   /* pool.c: NULL until the first take */
    struct co4_gen *plain_gen;  /* plain.c: innermost generator being filled */
    unsigned plain_lost;        /* plain.c: depth of generators that could not be had */
    uint64_t tosses;            /* fiber.c: places that stress has come by */
    unsigned choices;           /* clock.c: made on this thread */
    bool pooled;                /* blocking.c: it is a thread of the pool */
    struct co4__timers *timers; /* source.c: of a thread that blocks outside workers; else NULL */
    struct co4__hold *offered;  /* look.h: what comes with the CO4_LOOK that is told now */
    bool forced;                /* fiber.c: the pause under way was forced */
    int run_error;              /* run.c: co4_run_error() */
    int *run_check;             /* run.c: where the next run leaves its code; NULL: nowhere */
    bool run_checked;           /* run.c: … and the last one, that could not begin, has done so */
    struct co4__run *run;       /* run.c: the innermost; NULL: none */
    uintptr_t run_at;           /* run.c: where it begins on the stack; 0: nobody has looked */
    struct co4__run *jumped;    /* run.c: jumped over, not given back yet */
    char *stack, *stack_end;    /* platform: once somebody has asked; NULL: not known */
    int budget;                 /* task.c: operations left in this step */
    struct co4__simulation *simulation; /* what this thread simulates; NULL: nothing */
    struct co4__ring *ring;             /* trace.c: where its events go; NULL until the first */
    atomic_bool alone;                  /* alone.c: set by the thread, cleared by who ends it */
    atomic_bool inside; /* it is about to see whether it is alone, or is, and does something */
};

/* Inline: each message and each frame ask for it. */
#ifdef CO4__NO_THREADS
extern struct co4__local co4__here;
#elif defined(__GNUC__) && !defined(__APPLE__)
extern _Thread_local struct co4__local co4__here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#else
extern _Thread_local struct co4__local co4__here;
#endif

static inline struct co4__local *co4__local(void)
{
    return &co4__here;
}

/* Has co4__runs_thread_exit() and co4__pool_thread_exit() called when this thread ends. False: it
 * cannot. */
bool co4__thread_watch_exit(void);

/* A place where one thread sleeps and any other wakes it once: a flag, so a wake that comes first
 * is not lost. Opaque here, for its size depends on the platform. */
struct co4__parker {
    union {
        long double align;
        void *p;
        unsigned char space[160];
    } u;
};

int co4__parker_init(struct co4__parker *p); /* CO4_OK, CO4_EAGAIN */
void co4__parker_fini(struct co4__parker *p);
/* CO4_OK: the flag was set, and is clear again. CO4_ETIMEDOUT: maybe early. CO4_EDEADLK: without
 * threads, nothing is left that could set it. */
int co4__parker_wait(struct co4__parker *p, int64_t deadline);
/* The same. With threads, too, it is CO4_EDEADLK when nothing is left, if there is no deadline:
 * deadlock.c. */
int co4__parker_look(struct co4__parker *p, int64_t deadline);
/* The same as wait. After the deadline the thread wakes nobody. */
int co4__parker_idle(struct co4__parker *p, int64_t deadline);
void co4__parker_wake(struct co4__parker *p);
/* Has the wait look at its deadline anew: it returns CO4_ETIMEDOUT early, and no flag is set. */
void co4__parker_poke(struct co4__parker *p);

struct co4__thread {
    union {
        void *p;
        unsigned long long n;
        unsigned char space[16];
    } u;
};

extern const bool co4__has_threads;
int co4__thread_start(struct co4__thread *t, void (*main)(void *),
                      void *arg); /* CO4_OK, CO4_EAGAIN */
int co4__thread_start_detached(void (*main)(void *), void *arg);
void co4__thread_join(struct co4__thread *t);
void co4__thread_yield(void);
int co4__processors(void);                                          /* that this process may use */
int co4__processors_of_group(const char *groups, const char *root); /* Linux: for tests */
bool co4__on_this_stack(const void *p);   /* does it stand on this thread's own stack? */
int64_t co4__clock(void);                 /* the real one; co4_now() is clock.c's */
void co4__sleep_thread(int64_t deadline); /* by the real clock */

/* Has every thread of the process pass a memory fence. False: it could not. init: can it? Then it
 * is prepared for that. */
bool co4__fence_all_init(void);
bool co4__fence_all(void);
/* Between two looks at what another thread is about to change: the more often it has been called,
 * the longer. */
void co4__back_off(unsigned tries);

#include "platform/alone.h"

/* A lock of four bytes for sections of a few instructions: mailboxes are many and must be small.
 * Spins a little, then lets other threads run. */
typedef struct co4__lock {
    atomic_uint held;
} co4__lock;

void co4__lock_wait(co4__lock *l);

/* What tests/scaling counts by: this thread holds a lock, and no more. */
#ifdef CO4__TELLS_OF_LOCKS
void co4__lock_taken(void);
void co4__lock_given(void);
#else
static inline void co4__lock_taken(void) {}
static inline void co4__lock_given(void) {}
#endif

/* Tells the processor that we only wait for a change of memory. */
static inline void co4__spin_pause(void)
{
#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#endif
}

static inline bool co4__try_lock(co4__lock *l)
{
    unsigned free = 0;
    /* Not acquire alone: the look whether somebody is alone must not come before it. */
    bool taken = atomic_compare_exchange_strong_explicit(&l->held, &free, 1, memory_order_seq_cst,
                                                         memory_order_relaxed);
    if (taken)
        co4__lock_taken();
    return taken;
}

static inline void co4__lock_take(co4__lock *l)
{
    if (CO4__UNLIKELY(!co4__try_lock(l)))
        co4__lock_wait(l);
    co4__alone_over();
}

static inline void co4__lock_give(co4__lock *l)
{
    atomic_store_explicit(&l->held, 0, memory_order_release); /* pairs with the acquire above */
    co4__lock_given();
}

/* n more, by the only one who writes it. */
static inline void co4__count(_Atomic uint64_t *c, uint64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline uint64_t co4__counted(const _Atomic uint64_t *c)
{
    return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)c, memory_order_relaxed);
}

/* ---- alloc.c ----------------------------------------------------------------------------------
 */

extern CO4__OWN atomic_long co4__fail_alloc; /* 0: off; else see co4_test_fail_alloc() */
bool co4__alloc_fails_now(void);

/* Is the switch on? One relaxed load. */
static inline bool co4__alloc_may_fail(void)
{
    return atomic_load_explicit(&co4__fail_alloc, memory_order_relaxed) != 0;
}

/* True when this allocation is to fail. */
static inline bool co4__alloc_fails(void)
{
    return CO4__UNLIKELY(co4__alloc_may_fail()) && co4__alloc_fails_now();
}

void *co4__alloc(size_t bytes); /* zeroed; NULL when out of memory */
void co4__free(void *p);

/* ---- pool.c -----------------------------------------------------------------------------------
 */

struct co4__pool_use {
    uint64_t tasks, task_bytes, blocks, block_bytes, reserved;
};
void co4__pool_use(struct co4__pool_use *out);

void *co4__pool_take(size_t bytes); /* not zeroed; NULL when out of memory */
/* A frame for `func`, aligned as it says. Given back with co4__pool_drop(). */
void *co4__pool_take_frame(const co4_abi_func *func);
void co4__pool_drop(void *p, size_t bytes);
co4_task *co4__pool_take_task(void);
void co4__pool_drop_task(co4_task *t);
/* Calls `each` for every task there is room for, also free ones: their `home` is 0. */
void co4__pool_each_task(void (*each)(co4_task *t, void *arg), void *arg);
/* For a thread that may drop much and take nothing: a drop of its own never makes a cache. */
void co4__pool_thread_begin(void);
void co4__pool_thread_exit(void);

/* ---- fiber.c ----------------------------------------------------------------------------------
 */

/* The fiber has failed: gives its chain back. Returns CO4_ABI_FAILED; or CO4_ABI_WAITING: it is a
 * task that waits for the children of a scope first; its `error` says that it is to be failed again
 * when it is woken. */
int co4__fiber_failed(co4_fiber *co4);

/* A frame could not be had: of a fiber that runs, or that unwinds and has saved some. */
static inline void co4__fiber_fail(co4_fiber *co4)
{
    if (co4->pausing == CO4_ABI_RUNNING)
        co4_abi_pause(co4, CO4_ABI_FAILED);
    else
        co4->pausing = CO4_ABI_FAILED;
}

/* It pauses: the frames saved since it began to go in front of `rest`. Returns the reason.
 */
static inline int co4__fiber_link(co4_fiber *co4, co4_frame *rest)
{
    int why = co4->pausing;
    co4->pausing = CO4_ABI_RUNNING;
    if (CO4__LIKELY(co4->last != NULL))
        co4->last->caller = rest;
    else
        co4->leaf = rest;
    return CO4__UNLIKELY(why == CO4_ABI_FAILED) ? co4__fiber_failed(co4) : why;
}

/* Runs the fiber from this frame of it, all before which have ended, until it pauses or ends:
 * `root` is the last of these. */
static inline int co4__fiber_go_on(co4_fiber *co4, co4_frame *root, co4_frame *f)
{
    while (f) {
        co4_frame *caller = f->caller;
        f->at->resume(co4, f);
        if (CO4__LIKELY(co4->pausing != CO4_ABI_RUNNING))
            return co4__fiber_link(co4, caller);
        root = f;
        f = caller;
    }
    co4->leaf = NULL;
    co4->last = root;
    return 0;
}

/* The same from its leaf. Returns the reason it pauses, with all
 * frames saved; 0 when its root has returned: `result` is set, and `last` is the root frame, which
 * is still there if its function keeps it. CO4_ABI_FAILED: the chain is given back. FAILED_WAITING:
 * it still has to be, but not before nobody is about to wake the task. */
static inline int co4__fiber_resume(co4_fiber *co4)
{
    return co4__fiber_go_on(co4, NULL, co4->leaf);
}

/* After a direct call that pauses and has no trampoline below it. Returns the reason. */
int co4__fiber_settle(co4_fiber *co4);

/* Gives back every frame of the chain, whatever children look at. */
void co4__fiber_drop_chain(co4_fiber *co4);

/* The n-th of a row of numbers as if by chance: Weyl's sequence, stirred as SplitMix64 does
 * (Steele, Lea, Flood 2014). */
static inline uint64_t co4__toss(uint64_t n)
{
    n *= 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

static inline bool co4__is_wide(const co4_frame *call)
{
    return call->at->func->result_bytes > CO4_ABI_RESULT_BYTES;
}

struct co4__worker;

/* ---- task.c -----------------------------------------------------------------------------------
 */

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
    CO4__LISTED = 1,    /* whoever sets it to NONE owns the wake */
    CO4__TIMED = 2,     /* also a timer's: waiting.where is that */
    CO4__SHIELDED = 4,  /* cancelling leaves it alone */
    /* what for; tells people only */
    CO4__WAIT_TIMER = 1 << 3,
    CO4__WAIT_GET = 2 << 3,
    CO4__WAIT_PUT = 3 << 3,
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
    /* First: a task is found from its fiber by a cast. Its `home` (home.h) is written when the task
     * is scheduled and when it is freed, and read by anyone. */
    co4_fiber fiber;

    /* Links of the one list the task is in. Ready: the queue (next only), owned by whoever holds
     * the queue. Waiting: the waiters of a mailbox or join bucket, guarded by its lock. */
    co4_task *next, *prev;

    _Atomic(struct co4__extra *) extra; /* extra.c: what few tasks have; set once, by anyone */
    union {
        struct {
            _Atomic uint8_t state; /* enum co4__state; transitions in task.c */
            _Atomic int8_t cancel; /* the reason, once it has been cancelled; 0: it has not */
        };
        _Atomic uint16_t both;
    };
    _Atomic uint8_t wait;  /* enum co4__wait; transitions in wait.c */
    int8_t error;          /* how it ended; written before `state` becomes STOPPED */
    _Atomic uint32_t refs; /* owners, the runtime being one while the task is scheduled; and: */
};

#define CO4__JOINED (UINT32_C(1) << 31) /* in `refs`: someone waits for the end */

/* What fiber.result holds while the task waits. The waker writes the result over the first word
 * alone; the second stays readable for the task's own thread. */
struct co4__waiting {
    void *buffer; /* the message to copy to or from; the co4_task * to join */
    void *where;  /* struct co4__place *, NULL for none; CO4__TIMED: struct co4__timer * */
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

/* WAKE, of who has claimed it: is it to be queued? Once it is PAUSED nobody else changes the
 * state. */
static inline bool co4__task_is_woken(co4_task *t)
{
    if (CO4__LIKELY(atomic_load_explicit(&t->state, memory_order_acquire) == CO4__PAUSED)) {
        atomic_store_explicit(&t->state, CO4__READY, memory_order_relaxed);
        return true;
    }
    return co4__task_event(t, CO4__WAKE) == CO4__PAUSED;
}

/* Where the state stands in `both`. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CO4__BOTH(state) ((state) << 8)
#else
#define CO4__BOTH(state) (state)
#endif
#define CO4__BOTH_STATE  CO4__BOTH(0xff)
#define CO4__BOTH_CANCEL (0xffff - CO4__BOTH_STATE)

/* WAIT of a thread that is alone. False: nothing has changed. */
static inline bool co4__task_waits_alone(struct co4__local *here, co4_task *t)
{
    bool plain = co4__alone_begin(here) &&
                 atomic_load_explicit(&t->both, memory_order_relaxed) == CO4__BOTH(CO4__RUNNING);
    if (CO4__LIKELY(plain))
        atomic_store_explicit(&t->state, CO4__PAUSED, memory_order_release);
    co4__alone_done(here);
    return plain;
}

/* WAIT. CO4__RUNNING: it waits, and is no longer ours; CO4__WOKEN: it is READY; CO4__READY: nothing
 * has changed, for it has been cancelled, unless that was `told`. */
static inline enum co4__state co4__task_waits(co4_task *t, bool told)
{
    uint16_t old = atomic_load_explicit(&t->both, memory_order_relaxed), new;
    do {
        if (CO4__UNLIKELY((old & CO4__BOTH_CANCEL) != 0) && !told)
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
/* `value`: what its function has returned; NULL: it has not. */
void co4__task_end(struct co4__worker *w, co4_task *t, int error, const void *value);
void co4__task_unref(co4_task *t);
/* For who has found it by a list that it leaves before it goes, under that list's lock: one more
 * owner. False: its last one has just gone. Only a task with an extra is found so. */
bool co4__task_try_retain(co4_task *t);
/* Either this says that t has stopped, or co4__task_tell comes after what the caller lists now,
 * under a lock that it takes. */
bool co4__task_has_stopped(co4_task *t);
void co4__task_tell(co4_task *t, int error); /* it has stopped, and somebody has asked */

/* The primitive has its result, or has failed at once; still, now and then, the task gives way to
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

#include "core/wait.h"

#include "core/extra.h"

/* ---- ring.c -----------------------------------------------------------------------------------
 */

/* For one more element: CO4_OK, CO4_EFULL, CO4_ENOMEM. */
int co4__ring_make_room(co4_ring *ring);

#include "core/timers.h"

/* ---- run.c ------------------------------------------------------------------------------------
 */

/* Where the stack of the caller of this function ends: what is deeper has returned, or was jumped
 * over. And where this function returns to. NULL where that is not known: plain WebAssembly has no
 * longjmp, either. */
#if (defined(__GNUC__) || defined(__clang__)) && !(defined(__wasm__) && !defined(__EMSCRIPTEN__))
#define CO4__CALLED_AT   ((char *)__builtin_dwarf_cfa())
#define CO4__CALLED_FROM __builtin_return_address(0)
#else
#define CO4__CALLED_AT   ((char *)0)
#define CO4__CALLED_FROM ((void *)0)
#endif

/* In a function that users call: has the thread left runs by a jump? They are forgotten then, to be
 * given back by the next. */
void co4__runs_look(const char *called_at);
void co4__runs_thread_exit(void); /* gives all back */

#define CO4__RUNS_LOOK(here)                                                                       \
    do                                                                                             \
        if (CO4__UNLIKELY((uintptr_t)CO4__CALLED_AT > (here)->run_at))                             \
            co4__runs_look(CO4__CALLED_AT);                                                        \
    while (0)

/* For calls that are not for tasks: is this one? */
static CO4__ALWAYS_INLINE bool co4__in_task(void)
{
    if (CO4__LIKELY(!co4__local()->current))
        return false;
    CO4__RUNS_LOOK(co4__local());
    return co4__local()->current != NULL;
}

/* The root frame of a co4_run whose result is wide: it stands on the caller's stack, and is never
 * given back. Or NULL. */
const co4_frame *co4__run_root(const co4_fiber *main);
void co4__run_main_ended(co4_task *main, int error);
/* t has been scheduled here, and there is no room to note it. */
void co4__run_enrolls(co4_runtime *rt, co4_task *t);

#include "sched/queue.h"

/* ---- worker.c ---------------------------------------------------------------------------------
 */

#define CO4__WORKERS_MAX 1024

struct co4__worker {
    struct co4__queue queue;
    struct co4__timers timers;
    co4_runtime *rt; /* constant, like index */
    unsigned index;
    unsigned rotor; /* owner: the window to choose from next */
    unsigned tries; /* owner: to doze, in vain */
    bool dozing;    /* owner: `notified` was cleared and the wake not yet taken */
    bool dirty;     /* owner: a task has stopped since the last doze */
    bool outermost; /* its loop stands in nobody's step; constant */
    /* sched.c, the owner's: tasks do little between two operations; when it looked at the clock, 0:
     * not since it has slept; the operations of all steps; steps and operations then. */
    bool fine, was_fine; /* were at the last look itself, which may have been a disturbed one */
    int64_t looked;
    uint64_t operations, done_then;
    _Atomic uint16_t asked; /* 1 + the index of an idle worker that asks for tasks; 0: none */
    bool busy;              /* simulate.c: a step of it is under way, further out on the C stack */
    uint64_t still;         /* simulate.c: it stands still before this step */
    struct co4__running *running; /* stall.c; NULL: nobody watches */
    /* trace.c, of the step that runs: when it began, -1: not told; what its task waited in, and how
     * often it was woken */
    int64_t began;
    const char *waited;
    uint32_t wakes;
    /* rescue.c, the guard's, at its last look: the inbox was not empty; had not been for long;
     * `steps` */
    bool waits, stuck;
    uint64_t seen;
    /* Written by the owner alone, read by whoever asks whether all have stopped: runtime.c. */
    _Atomic uint64_t spawned, stopped;
    /* Likewise, for whoever counts: insight.h. */
    _Atomic uint64_t steps, pauses, yields, kept, sent;
    struct co4__parker parker;
    struct co4__thread thread;
};

int co4__worker_init(struct co4__worker *w, co4_runtime *rt, unsigned index);
void co4__worker_fini(struct co4__worker *w);
void co4__worker_main(void *worker);              /* a thread's life */
unsigned co4__worker_turn(struct co4__worker *w); /* a step for each task that is ready; how many */
void co4__worker_step(struct co4__worker *w, co4_task *t);
void co4__worker_settle(struct co4__worker *w, co4_task *t, int why);
void co4__worker_timers(struct co4__worker *w);             /* fires what is due */
int co4__worker_doze(struct co4__worker *w, int64_t until); /* CO4_OK: look again; CO4_EDEADLK */
bool co4__worker_doze_begin(
    struct co4__worker *w); /* from here on a push pays a wake; false: work is there */
void co4__worker_doze_end(struct co4__worker *w);
void co4__worker_wake(struct co4__worker *w);

/* ---- sched.c ----------------------------------------------------------------------------------
 */

void co4__sched_place(co4_runtime *rt, co4_task *t);   /* ready: to the least loaded */
void co4__sched_deliver(co4_runtime *rt, co4_task *t); /* the same, whoever watches */
void co4__sched_place_other(co4_runtime *rt,
                            co4_task *t); /* ready: to the next worker, for forced pauses */
void co4__sched_again(struct co4__worker *w, co4_task *t); /* ready: stays, unless it is pinned */
void co4__sched_hand(struct co4__worker *w, co4_task *t);  /* ready: to this worker's inbox */
void co4__sched_look(
    struct co4__worker *w); /* the owner, now and then: how much do its tasks do? */
void co4__sched_ask(
    struct co4__worker *w); /* the owner has nothing to do: asks another for tasks */
void co4__sched_answer(struct co4__worker *w); /* the owner, between steps: somebody has asked */

/* rescue.c */
int co4__guard_start(
    co4_runtime *rt); /* CO4_OK, CO4_EAGAIN; where there is nothing to guard, none is */
void co4__guard_stop(co4_runtime *rt); /* once `stopping` is set */
void co4__guard_call(co4_runtime *rt);

/* policy.c */
static inline unsigned co4__policy_choose(const co4_policy *policy, void *data,
                                          const co4_placing *p)
{
    int chosen = policy->choose(data, p);
    if (CO4__LIKELY(chosen >= 0 && (unsigned)chosen < p->workers))
        return (unsigned)chosen;
    return p->here >= 0 ? (unsigned)p->here : 0;
}

/* Does it prefer the worker on whose thread it is asked? Then that decides for itself while it has
 * little to do. */
static inline bool co4__policy_prefers_here(const co4_policy *policy)
{
    return policy == &co4_policy_windows || policy == &co4_policy_least_loaded;
}

void co4__sched_window(unsigned workers, unsigned batch, unsigned turn, unsigned *from,
                       unsigned *to);

/* ---- watch.c ----------------------------------------------------------------------------------
 */

/* In `watch` of a runtime: who looks. 0, and a step costs one branch more than without all this. */
enum co4__watch {
    CO4__OBSERVED = 1,
    CO4__SIMULATED = 2,
    CO4__AGED = 4,
    CO4__TRACED = 8,
    CO4__STALLS = 16
};

void co4__watch_entered(co4_runtime *rt, co4_task *t, const char *function);
bool co4__watch_placed(co4_runtime *rt, co4_task *t); /* true: it is kept back for now */
void co4__watch_step(struct co4__worker *w, co4_task *t);
void co4__watch_stepped(struct co4__worker *w, co4_task *t,
                        int why); /* its frames are saved, not yet settled */
void co4__watch_ended(struct co4__worker *w, co4_task *t);
uint32_t co4__watch_number(co4_task *t); /* 0: nobody has watched when it was scheduled */
/* What a paused task waits in, for people: the call in the user's deepest function. Before it is
 * settled, or held. */
const char *co4__watch_reason(const co4_task *t);

/* ---- runtime.c --------------------------------------------------------------------------------
 */

extern CO4__OWN unsigned co4__generation; /* fork.c: of this process; its children are one more */

struct co4_runtime {
    struct co4__worker *workers; /* constant, as the next three */
    unsigned nworkers, batch;
    uint16_t home;         /* home.c: its number */
    unsigned generation;   /* fork.c: which process has made it; constant */
    bool threaded;         /* threads drive it, once started */
    bool local;            /* a co4_run's: its owner drives it */
    bool prefers_here;     /* sched.c: workers keep short tasks, and give when asked; constant */
    _Atomic uint8_t watch; /* enum co4__watch */
    co4_runtime_options options;
    unsigned processors;      /* sched.c: that the process may use; constant */
    atomic_int awake;         /* workers that do not sleep, or have been woken */
    atomic_uint rotor;        /* windows for threads that are no worker of this runtime */
    _Atomic uint64_t outside; /* tasks scheduled by such threads */
    atomic_bool started, stopping;
    bool guarded;                /* rescue.c: there is a guard; constant while threads run */
    co4__lock lock;              /* guards joiners */
    struct co4__list joiners;    /* threads in co4_runtime_join */
    co4_runtime *older, **newer; /* registry of started runtimes, newest first; its lock */
    struct co4__parker guarding; /* rescue.c: where the guard sleeps */
    struct co4__thread guard;
    _Atomic uint64_t calls; /* of the guard, made; the caller's last touch of the runtime */
    uint64_t answered;      /* the guard's: calls that it knows of */
    struct co4__simulation *simulation; /* NULL: it is real; constant */
    co4_runtime *simulated_next;
    /* insight.c: the registry of all; its lock */
    co4_runtime *next, **link;
    unsigned number;
    unsigned told;  /* how often all joiners have been taken out, to be woken; under `lock` */
    co4_task *main; /* of a co4_run; constant */
    /* run.c: tasks scheduled in a co4_run, also such as have ended since; one may stand there
     * twice, whose memory was used again */
    co4_task **enrolled;
    size_t nenrolled, room;
    struct co4__stalls *stalls; /* stall.c */
    /* What a host that drives it by hand may poll; set once, by its thread, before it dozes. */
    _Atomic(struct co4__bell *) bell;
    _Atomic(struct co4__local *)
        driver; /* the thread that drives it, when that is one; NULL: not known */
};

/* Did its threads stay behind when the process forked? */
static inline bool co4__runtime_is_lost(const co4_runtime *rt)
{
    return rt->threaded && CO4__UNLIKELY(rt->generation != co4__generation);
}

static inline unsigned co4__watch_of(const co4_runtime *rt)
{
    return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->watch, memory_order_relaxed);
}

int co4__runtime_init(co4_runtime *rt, struct co4__worker *workers, unsigned nworkers,
                      unsigned batch);
void co4__runtime_fini(co4_runtime *rt);
uint64_t co4__runtime_alive(co4_runtime *rt);
bool co4__runtime_may_enter(
    const co4_runtime *rt); /* not when its threads stayed behind at a fork */
void co4__runtime_enter(co4_runtime *rt,
                        co4_task *t); /* t has just become READY, and the runtime owns a share */
void co4__runtime_maybe_empty(co4_runtime *rt); /* tells joiners when the last task has stopped */
co4_runtime *co4__runtime_here(void);           /* where co4_spawn goes; NULL: nowhere */
/* Without threads: a turn of every started runtime. Steps made; *next: when there is more to do. */
unsigned co4__runtime_turn_all(int64_t *next);

#endif
