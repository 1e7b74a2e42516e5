/* co4/insight.h - introspection: counters, dumps, traces, leftovers, long steps. Without it a
 * runtime pays one branch a step. */
#ifndef CO4_INSIGHT_H
#define CO4_INSIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL.
 * Blocks: never; a call that writes takes as long as `write` does.
 * Thread safety: any task and thread, at the same time.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* Takes a piece of text, which has no NUL. Called on the thread that writes; it must not use this
 * library. Returns CO4_OK, or a negative code, which ends the writing and is its result. */
typedef int co4_writer(void *data, const char *text, size_t bytes);

/* One that writes to a file descriptor: `data` is its number, (void *)(intptr_t)2. Returns CO4_OK;
 * CO4_ECLOSED when that fails; CO4_ESTATE where there are no descriptors. */
co4_writer co4_write_fd;

/* ---- counters ---- */

/* Counters of a runtime or of a worker, from its beginning on. */
typedef struct co4_stats {
    /* Tasks that were scheduled, and that have ended. The difference is alive. */
    unsigned long long spawned, stopped;
    unsigned long long steps;
    /* Steps that ended in a wait, and in a yield. */
    unsigned long long pauses, yields;
    /* Tasks that became ready, by a wake or newly, or were placed anew after yielding. kept: by the
     * worker whose thread made them ready; sent: to another worker; received: from other threads.
     * sent and received differ by the tasks that threads outside have sent. */
    unsigned long long kept, sent, received;
    unsigned long long timers; /* set and not yet due */
    /* Of descriptors (io.h): sleeps until an event, looks without a sleep, events that the worker
     * itself has taken. spins: before a sleep, and those that found something and thus saved it.
     * rescued: a worker in a long step, whose events another worker has taken. */
    unsigned long long sleeps, looks, events, spins, spins_won, rescued;
    /* Calls that waited on a thread of the pool (blocking.h), and those on files (file.h) that the
     * kernel made by io_uring. */
    unsigned long long pool_calls, ring_calls;
} co4_stats;

/* The counters of a runtime, or of one of its workers, from 0; a worker's `spawned` are the tasks
 * that its tasks have scheduled. Each number was true at some moment during the call.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, and where there is no such worker. */
int co4_stats_of(struct co4_runtime *rt, co4_stats *out);
int co4_stats_of_worker(struct co4_runtime *rt, int worker, co4_stats *out);

/* The memory of the tasks and paused calls of the process. The numbers are exact when no other
 * thread allocates or frees. Each that does may change them by up to 64 objects, which it moves at
 * once. */
typedef struct co4_memory {
    unsigned long long tasks, task_bytes;
    /* Frames, and all other objects of the same pools: timers, mailboxes and so on. */
    unsigned long long blocks, block_bytes;
    /* Memory of the pools, in use or not, without what the system has taken back. */
    unsigned long long reserved_bytes;
} co4_memory;

/* Writes the figures to *out.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL. */
int co4_memory_of_process(co4_memory *out);

/* Gives memory of tasks, frames and other objects of the pools that are not in use back to the
 * system. The addresses stay reserved. Idle workers do the same by themselves, for memory that has
 * not been used for a second or two; this call does it at once, for all that can be given back. It
 * takes some 50 ns for each free object, and other threads go on meanwhile. Objects that the caches
 * of other threads hold, at most 128 of each size, stay.
 *
 * Returns: the bytes that this call has given back. 0 also where the system takes none back,
 *     without threads, and under the address sanitizer and valgrind, where each object is a block
 *     of its own.
 * Pauses: never.
 * Blocks: while another thread is in this call.
 * Cancellation: none.
 * Thread safety: any task and thread.
 * Ownership: nothing changes. Pointers to objects in use stay valid.
 * Since: 0.2. */
size_t co4_trim(void);

/* ---- dumps ---- */

/* Writes all tasks of `rt`; with NULL those of all runtimes and calls of co4_run(). A task has its
 * name or function, its state, its wait and the time of its beginning, and an async backtrace: the
 * chain of calls that wait, by file and line.
 *
 *   task 3 'reader' paused for 1.5s: receives from mailbox 0x55d0c0
 *       #0  receive () at relay.c:14 in co4_mailbox_receive()
 *       #1  relay () at relay.c:30 in receive()
 *
 * A paused task is held while it is looked at. Others go on meanwhile, so two lines may be of two
 * moments. Of tasks that are ready, or run on other threads, only the state is known. Tasks have
 * numbers and times only with co4_watch(), a trace or test mode. Runtimes may begin and end
 * meanwhile.
 *
 * Returns: CO4_OK; CO4_EINVAL without a `write`; the code of `write`. */
int co4_dump(struct co4_runtime *rt, co4_writer *write, void *data);

/* Notes the time of each step of each runtime from now on, and numbers tasks; 0: no longer. Costs
 * two looks at the clock in each step. */
void co4_watch(int on);

/* Dumps all to write(data) at each signal `signo`; NULL: no longer. The signal's handler only wakes
 * a thread of its own, so it works when all workers are stuck. In a build without threads the next
 * thread that drives a runtime dumps. One signal at a time.
 *
 * Returns: CO4_OK; CO4_EBUSY when another signal is in use, or this one has a subscriber
 *     (signal.h); CO4_EINVAL; CO4_EAGAIN, CO4_ENOMEM; CO4_ESTATE where there are no signals. */
int co4_dump_on_signal(int signo, co4_writer *write, void *data);

/* Sets whether deadlocks are looked for; at first they are. A deadlock is when all threads of the
 * process wait for each other. Then a co4_run() writes that to standard error, with a dump, and
 * ends with CO4_EDEADLK. So do calls that block a thread without a deadline. With 0 they wait for
 * ever, for a program that a signal ends. On Linux; in builds without threads 0 only stops the
 * writing. */
void co4_deadlock_detect(int on);

/* ---- traces ---- */

#define CO4_TRACE_EVENTS 65536 /* used for 0 */

/* Traces from now on: each thread keeps the last `events` of its steps, wakes and names; 0 is
 * CO4_TRACE_EVENTS. With CO4_TRACE=file in the environment a program does so from its first runtime
 * or co4_run() on, and writes the file when it exits, if it is linked with the shared library,
 * calls one of these functions, or is linked with -Wl,-u,co4_trace_begin. end: no longer.
 *
 * Returns: CO4_OK; CO4_ESTATE when it is under way, or is not; CO4_EINVAL. */
int co4_trace_begin(size_t events);
int co4_trace_end(void);

/* Writes the trace under way, or the last one, as JSON for ui.perfetto.dev and chrome://tracing: a
 * slice for each step in a lane for each worker, arrows from wakes to steps, and the wait of each
 * task. Events that happen meanwhile are not in it. save: into a file.
 *
 * Returns: CO4_OK; the code of `write`; CO4_ESTATE when there was none; CO4_ECLOSED when the file
 *     cannot be written; CO4_EINVAL.
 * Thread safety: one thread at a time. */
int co4_trace_write(co4_writer *write, void *data);
int co4_trace_save(const char *path);

/* ---- leftovers ---- */

/* Writes the reasons why co4_runtime_destroy() is CO4_EBUSY: the tasks that have not stopped, as
 * co4_dump() does. Also writes the mailboxes that hold messages, of those made since the runtime
 * with its option `report`.
 *
 * Returns: CO4_OK when there is nothing; CO4_EBUSY; CO4_EINVAL. */
int co4_runtime_report(struct co4_runtime *rt, co4_writer *write, void *data);

/* ---- long steps ---- */

/* A step that takes long. Its worker steps no other task meanwhile. */
typedef struct co4_stall {
    struct co4_runtime *runtime;
    int worker;
    unsigned task;        /* its number */
    const char *function; /* the call that it is; "" when unknown */
    /* Where the step began: in this function, at this line; "" for a task's first step. */
    const char *place, *file;
    unsigned line;
    int64_t ns; /* so far */
} co4_stall;

/* An option of runtimes: runtime.h. */
typedef void co4_on_stall(void *data, const co4_stall *stall);

#ifdef __cplusplus
}
#endif

#endif
