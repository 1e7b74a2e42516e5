/* thread.h - threads, their state, their sleep, the real clock. pthread.c and none.c implement
 * it. */
#ifndef CO4_THREAD_INTERNAL_H
#define CO4_THREAD_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

/* The runtime's state of a thread. Only that thread accesses it, except for the fields of
 * exclusive.c. Woven code never sees it. Each runtime function reads its address anew, since its
 * caller may have moved to another thread. A struct in it is of the module with its name. */
struct co4__local {
    /* The first fields are those that each step, each message or each frame reads. */
    co4_task *current;          /* the task whose step runs here; NULL outside steps */
    struct co4__worker *worker; /* the innermost worker whose loop runs here; or NULL */
    struct {
        struct co4__cache *cache; /* NULL until the first allocation */
        uint32_t flushed;         /* trim.c: the period in which it was last flushed */
    } pool;
    int budget; /* task.h: operations before the one of this step that yields */
    struct co4__before_wait *before_wait; /* before_wait.h: the newest; NULL: there is nothing */
    struct {
        /* The thread is the exclusive owner. The thread sets it, and a revoker clears it. */
        atomic_bool is_owner;
        atomic_bool in_section; /* it is in a section, or about to check its ownership */
    } exclusive;
    struct {
        bool forced;            /* the current pause was forced */
        uint64_t stress_points; /* suspension points that stress mode has passed */
    } fiber;
    struct {
        struct co4__run *innermost; /* or NULL */
        uintptr_t at;               /* where it begins on the stack; 0: not known yet */
        struct co4__run *jumped;    /* runs that a longjmp skipped, not freed yet */
        int error;                  /* co4_run_error() */
        bool checked;               /* the last run could not begin, and has stored `error` */
        int *check;                 /* where the next run stores its code; or NULL */
    } run;

    struct {
        struct co4__jumps *innermost; /* activations with a setjmp on this C stack; or NULL */
        struct co4__catch *catches;   /* plain calls on this C stack that may jump; or NULL */
        struct co4__jumps *target;    /* of the jump under way */
        const co4_abi_point *at;      /* its setjmp */
        int value;
        int (*goes_on)(co4_fiber *co4); /* of jump.c: a step ends JUMPING */
        struct co4__handler *handler;   /* the innermost handler of signals that runs; or NULL */
        struct { /* the jump of a handler, which the fiber of its target makes later: jump.h */
            struct co4__jumps *volatile target; /* or NULL */
            const co4_abi_point *at;
            void *buf;
            volatile int value;
        } later;
    } jump;
    struct {
        struct co4_gen *gen; /* the innermost generator being filled */
        unsigned lost;       /* depth of generators whose allocation failed */
    } plain;
    struct {
        struct co4_scope *plain; /* the innermost scope of a plain build */
    } scope;
    struct {
        unsigned choices; /* random choices made on this thread */
    } clock;
    struct {
        bool pooled; /* the thread belongs to the pool */
    } blocking;
    struct {
        struct co4__timers *timers; /* the heap of a blocked external thread; or NULL */
    } source;
    struct {
        struct co4_listener *offered; /* the one that is being notified, and counted (source.h) */
    } look;
    struct {
        char *begin, *end;      /* pthread.c: set by the first query; NULL: not known */
        uintptr_t generates_at; /* gen.c: the highest place where a generator began; 0: none */
    } stack;
    struct {
        struct co4__simulation *state; /* the simulation of this thread; or NULL */
    } simulate;
    struct {
        struct co4__ring *ring; /* the buffer of its events; NULL until the first */
    } trace;
    struct {
        /* The last try: the wait that follows needs it. */
        struct co4__descriptor *descriptor;
        uint32_t generation, events;
        int direction;
        size_t done; /* attempt.h: struct co4__attempt_part */
        int64_t at;
    } attempt;
    struct {
        void *free; /* linked by their first words */
        unsigned count;
        bool ends_with_thread; /* the thread gives them back when it ends */
    } buffers;
    struct {
        uint16_t kept;         /* the number for its next runtime; 0: none */
        bool ends_with_thread; /* the thread gives it back when it ends */
    } runtime_id;
};

/* Inline, since each message and each frame reads it. */
#ifdef CO4__NO_THREADS
extern CO4__PRIVATE struct co4__local co4__here;
#elif defined(__GNUC__) && !defined(__APPLE__)
extern _Thread_local struct co4__local co4__here
    __attribute__((tls_model("initial-exec"), visibility("default")));
#else
extern _Thread_local struct co4__local co4__here;
#endif

static inline struct co4__local *co4__local(void)
{
    return &co4__here;
}

/* These functions of modules run, in this order, when a thread ends that has used the modules.
 * NULL: the program lacks the module. modules.c fills it. */
extern void (*const co4__thread_exits[])(void);
extern const size_t co4__nthread_exits;
/* Arranges these calls for the end of this thread. False: the system cannot do it. */
bool co4__thread_at_exit(void);

/* One thread sleeps at a parker, and any other thread wakes it once. A flag keeps a wake that comes
 * first. The struct is opaque here, since its size depends on the platform. */
struct co4__parker {
    union {
        long double align;
        void *p;
        unsigned char space[160];
    } u;
};

int co4__parker_init(struct co4__parker *p); /* CO4_OK, CO4_EAGAIN */
void co4__parker_fini(struct co4__parker *p);
/* Sleeps until the flag is set or the deadline has come. CO4_OK: the flag was set, and is cleared
 * again. CO4_ETIMEDOUT: the deadline has come; the return may be early. CO4_EDEADLK: without
 * threads, nothing can set the flag. */
CO4__PRIVATE int co4__parker_wait(struct co4__parker *p, int64_t deadline);
/* Like wait. With threads and without a deadline, it also returns CO4_EDEADLK if nothing can set
 * the flag (deadlock.c). */
int co4__parker_look(struct co4__parker *p, int64_t deadline);
/* Like wait. The caller states that after the deadline the thread wakes no other thread. */
int co4__parker_idle(struct co4__parker *p, int64_t deadline);
void co4__parker_wake(struct co4__parker *p);
/* Makes the wait check its deadline anew: it returns CO4_ETIMEDOUT early, and no flag is set. */
void co4__parker_interrupt(struct co4__parker *p);

struct co4__thread {
    union {
        void *p;
        unsigned long long n;
        unsigned char space[16];
    } u;
};

extern const bool co4__has_threads;
/* A clock of the processor time that this thread uses, for any thread; -1: there is none. Never
 * 0. */
int co4__thread_clock(void);
int64_t co4__thread_used(int clock); /* ns; negative: not known */
/* Returns whether the thread of this clock computes, or waits for a processor alone. It reads a
 * file of the system. false: it waits, or that is not known. */
bool co4__thread_is_ready(int clock);
/* Returns CO4_OK, CO4_EAGAIN or CO4_ENOMEM. */
int co4__thread_start(struct co4__thread *t, void (*main)(void *), void *arg);
/* With POSIX: what each of them begins with. */
void *co4__own_thread(void *start);
/* A thread of the library's own, at which no signals arrive. */
int co4__thread_start_detached(void (*main)(void *), void *arg);
/* The same, to be joined, or detached by itself. */
int co4__thread_start_apart(struct co4__thread *t, void (*main)(void *), void *arg);
void co4__thread_detach(struct co4__thread *t);
void co4__thread_self(struct co4__thread *t);
/* Called by such a thread: it runs code of the program, with the mask of the thread that has
 * started it, or no more. */
void co4__thread_takes_signals(bool takes);
void co4__thread_join(struct co4__thread *t);
void co4__thread_yield(void);
size_t co4__stack_left(void);             /* bytes of this thread's stack; SIZE_MAX: not known */
bool co4__on_this_stack(const void *p);   /* whether p points into this thread's stack */
int64_t co4__clock(void);                 /* the real one; co4_now() is clock.c's */
void co4__sleep_thread(int64_t deadline); /* by the real clock */

/* Prepares for co4__fence_all(). Returns whether the system can do it. */
bool co4__fence_all_init(void);
/* Makes every thread of the process pass a memory fence. False: the system cannot do it. */
bool co4__fence_all(void);
/* Waits between two checks of a value that another thread is about to change. The wait grows with
 * `tries`. */
CO4__PRIVATE void co4__back_off(unsigned tries);

#endif
