/* threads.h - threads that are tasks, with --auto=threads. */
#ifndef CO4_POSIX_THREADS_H
#define CO4_POSIX_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "co4/abi.h"
#include "core/task.h"
#include "posix/scheduling.h"

/* A thread of the program. Its pthread_t is its address with two bits set, which no thread of the C
 * library has. The task, until its end, and the pthread_t, until it is joined or detached, have a
 * reference each. Without one it is gone, and its memory waits for the next thread: a pthread_t
 * that the program uses once more does no harm. */
struct co4__posix_thread {
    co4_abi_code *start; /* woven: constant, as are the next two */
    bool of_c11;         /* it returns an int */
    int number;          /* tid.c: of this place; constant */
    void *arg;
    co4_task *task; /* with a reference; constant once it is scheduled */
    void *value;    /* its result; written by the task before ENDED */
    bool finished;  /* by a return or by pthread_exit(); written by the task */
    atomic_uint refs;
    atomic_uint state;      /* bits of co4__posix_thread_state */
    atomic_bool cancelled;  /* cancels.c; any thread sets it, once */
    bool disabled, at_once; /* cancels.c: its cancel state and type; the task's own */
    bool notified;          /* its wait ends by a cancellation, and the task does not; its own */
    struct co4__posix_thread *next; /* of those that are gone */
};

/* TAKEN: it is detached, or a joiner waits or has waited. ENDED: its value is there. GONE: it is
 * joined, or detached and ended. */
enum co4__posix_thread_state { CO4__THREAD_TAKEN = 1, CO4__THREAD_ENDED = 2, CO4__THREAD_GONE = 4 };

static inline bool co4__thread_is_gone(const struct co4__posix_thread *s)
{
    return atomic_load_explicit(&s->state, memory_order_acquire) & CO4__THREAD_GONE;
}

/* What self.c asks of threads.c, which a program may lack. */
struct co4__posix_threads {
    pthread_t (*of_task)(co4_task *task); /* 0: a task that is no such thread */
    int (*join)(struct co4__posix_thread *thread, void **result);
    int (*try_join)(struct co4__posix_thread *thread, void **result);
    int (*detach)(struct co4__posix_thread *thread);
    struct co4__scheduling (*scheduling)(void); /* of all of them */
};
extern CO4__IF_LINKED const struct co4__posix_threads co4__posix_threads;

/* NULL: it is another task, or no task. */
static inline struct co4__posix_thread *co4__posix_thread_of(pthread_t id)
{
    return ((uintptr_t)id & 3) == 3 ? (struct co4__posix_thread *)((uintptr_t)id & ~(uintptr_t)3)
                                    : NULL;
}

/* ---- thread.c ---- */

/* Together, as they order nothing that a program relies on: order.h. */
extern CO4__OWN struct co4__posix_guards {
    pthread_mutex_t runtime; /* threads.c */
    pthread_mutex_t gone;    /* thread.c */
} co4__posix_guards;

/* NULL: the task is no such thread. */
struct co4__posix_thread *co4__thread_of(co4_task *task);
/* NULL: out of memory. The caller sets all fields. */
struct co4__posix_thread *co4__thread_new(void);
void co4__thread_drop(struct co4__posix_thread *s);
/* Ends the program with a message. */
_Noreturn void co4__thread_fails(const char *why);
/* How many threads there are: with the last one the process ends. */
void co4__thread_is_counted(void);
void co4__thread_has_ended(void);
void co4__threads_are_gone(void);
/* Makes what a thread needs beside its task, which is not scheduled yet. False: out of memory. */
bool co4__thread_prepare(struct co4__posix_thread *s);
/* Takes the thread to join or detach it. Returns 0, or the error: it is taken already. */
int co4__thread_take(struct co4__posix_thread *s);
bool co4__thread_has_value(struct co4__posix_thread *s);
/* Its joiner is cancelled: another one may join it. */
void co4__thread_leave(struct co4__posix_thread *s);
/* The thread ends with this result: its task gives up its activations in its next step, or in the
 * pause that follows. */
void co4__thread_gives_up(struct co4__posix_thread *s, void *value);
/* After the wait: drops the thread. */
void co4__thread_joined(struct co4__posix_thread *s, void **result);

/* ---- woven/threads.c ---- */

/* Before the first of them, under the lock that each creator takes: they can be joined. */
void co4__threads_begin(void);
/* Prepares the task of a thread; NULL: out of memory. */
co4_task *co4__thread_task(struct co4__posix_thread *s);
/* Waits for the end of the thread, and blocks the calling one. */
void co4__thread_wait(struct co4__posix_thread *s);

/* After the end of main's task: others run until the last one ends the process. */
void co4__first_rests(void);

#endif
