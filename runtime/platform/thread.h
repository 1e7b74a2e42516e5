/* thread.h - threads, their state, their sleep, the real clock: pthread.c, none.c. */
#ifndef CO4_THREAD_INTERNAL_H
#define CO4_THREAD_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

/* What the runtime knows of a thread. Only that thread touches it, but for the fields of
 * exclusive.c. Woven code never sees it. Runtime code asks for it anew in each function, since the
 * caller may have moved. */
struct co4__local {
    co4_task *current;          /* whose step runs here; NULL outside steps */
    struct co4__worker *worker; /* whose loop runs here, innermost; NULL on other threads */
    struct co4__cache *cache;   /* pool.c: NULL until the first take */
    struct co4_gen *plain_gen;  /* plain.c: innermost generator being filled */
    unsigned plain_lost;        /* plain.c: depth of generators whose allocation failed */
    uint64_t stress_points;     /* fiber.c: places that stress has come by */
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
    char *stack, *stack_end;    /* platform: set when first asked for; NULL: not known */
    int budget;                 /* task.c: operations left in this step */
    struct co4__simulation *simulation; /* what this thread simulates; NULL: nothing */
    struct co4__ring *ring;             /* trace.c: where its events go; NULL until the first */
    /* exclusive.c: the thread is the exclusive owner; it sets that, and a revoker clears it. */
    atomic_bool exclusive;
    atomic_bool in_section; /* it is in a section, or about to look whether it is the owner */
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

/* What modules do when a thread ends that has used them, in this order; NULL ends it. modules.c
 * fills it. */
extern void (*const co4__thread_exits[])(void);
/* Has them called when this thread ends. False: that is not possible. */
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
void co4__parker_interrupt(struct co4__parker *p);

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

#endif
