/* co4/insight.h - looking at what runs: counters, dumps, traces, what was left behind, what stands
 * still.
 *
 * Nothing here pauses; all may be called on any thread, inside tasks as well, unless it says
 * otherwise. A runtime that nobody looks at pays one branch a step. */
#ifndef CO4_INSIGHT_H
#define CO4_INSIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a piece of text, which has no NUL. CO4_OK, or a negative code: nothing more is written
 * then, and who has asked gets it. On the thread that writes; it must not use this library. */
typedef int co4_write(void *data, const char *text, size_t bytes);

/* One that writes to a file descriptor: data is its number, (void *)(intptr_t)2. CO4_ECLOSED when
 * that fails; CO4_ESTATE where there are none. */
co4_write co4_write_fd;

/* ---- counters ---- */

typedef struct co4_stats {
    unsigned long long spawned, stopped; /* tasks scheduled; ended. spawned - stopped are alive */
    unsigned long long steps;            /* how they came about: */
    unsigned long long pauses, yields;   /* steps that ended waiting; yielding */
    /* Tasks that became ready, by a wake or newly, or were placed anew after yielding: kept by
     * the worker on whose thread that was; sent to another worker; come in from other threads. sent
     * and received differ by what threads outside have sent. */
    unsigned long long kept, sent, received;
    unsigned long long timers; /* set and not yet due */
} co4_stats;

/* Of a runtime, or of one worker of it, 0 …; a worker's `spawned` are those that its tasks have.
 * Each number was true at some moment during the call. CO4_OK; CO4_EINVAL. */
int co4_stats_of(struct co4_runtime *rt, co4_stats *out);
int co4_stats_of_worker(struct co4_runtime *rt, int worker, co4_stats *out);

/* Of the process: what its tasks and paused calls take. Exact when no other thread takes or gives
 * back any; else each that does may put the numbers off by what it moves at a time (64). */
typedef struct co4_memory {
    unsigned long long tasks, task_bytes;
    unsigned long long blocks,
        block_bytes; /* frames, and all else that comes from the same pools: timers, mailboxes … */
    unsigned long long reserved_bytes; /* held for them, in use or not */
} co4_memory;
int co4_memory_of_process(co4_memory *out);

/* ---- dumps ---- */

/* Writes all tasks of `rt`, of all runtimes and co4_runs with NULL: name or function, state, what
 * it waits for and since when, and an async backtrace: who called whom up to the wait, by file and
 * line, although no C stack has it.
 *
 *   task 3 'reader' paused for 1.5s: receives from mailbox 0x55d0c0
 *       #0  receive () at relay.c:14 in co4_mailbox_receive()
 *       #1  relay () at relay.c:30 in receive()
 *
 * A paused task is held for the moment in which it is looked at; others go on meanwhile, so two
 * lines may be of two moments. Of tasks that are ready or running on other threads the state is all
 * that can be known. Tasks have numbers and times only with co4_watch(), a trace or test
 * mode. Runtimes and co4_runs may begin and end while it writes. CO4_OK; what `write` has
 * returned; CO4_EINVAL. */
int co4_dump(struct co4_runtime *rt, co4_write *write, void *data);

/* From now on each step of each runtime notes the time, and each task has a number; 0: not any
 * more. Costs two looks at the clock a step. */
void co4_watch(int on);

/* Dumps all to write(data) at each signal `signo`. The handler only wakes; a thread of its own does
 * it, so it works also when all workers are stuck. In a build without threads the next thread of
 * control that drives a runtime does. NULL: no more, and the thread ends. One signal at a time.
 * CO4_OK; CO4_EBUSY: another signal is in use; CO4_EINVAL; CO4_EAGAIN, CO4_ENOMEM; CO4_ESTATE where
 * there are no signals. */
int co4_dump_on_signal(int signo, co4_write *write, void *data);

/* When all threads of the process wait, each for another, nothing can go on any more. A co4_run()
 * then writes so to standard error, with a dump, and ends with CO4_EDEADLK; so do calls that block
 * a thread without a deadline. 0: they wait for ever, for a program that a signal is to end. Any
 * other number: as at first. Linux; and builds without threads, where 0 only keeps them from
 * writing. */
void co4_deadlock_detect(int on);

/* ---- traces ---- */

#define CO4_TRACE_EVENTS 65536 /* used for 0 */

/* From now on each thread keeps the last `events` of what happens on it: steps, wakes, names. With
 * CO4_TRACE=file in the environment a program does so from its first runtime or co4_run on, and
 * writes the file when it exits. CO4_OK; CO4_ESTATE when it is under way; CO4_EINVAL. */
int co4_trace_begin(size_t events);
int co4_trace_end(void); /* CO4_ESTATE: it is not */
/* Writes what there is of the trace under way, or of the last, as JSON that ui.perfetto.dev and
 * chrome://tracing read: a slice a step, in a lane a worker; arrows from wakes to the steps they
 * lead to; for each task what it waits in. What happens meanwhile is not in it. One thread at a
 * time. CO4_OK; what `write` has returned; CO4_ESTATE: there was none; CO4_EINVAL. */
int co4_trace_write(co4_write *write, void *data);
int co4_trace_save(const char *path); /* into a file; CO4_ECLOSED when it cannot be written */

/* ---- what is left ---- */

/* Writes what stands in the way of co4_runtime_destroy(): the tasks that have not stopped, as
 * co4_dump() does, and the mailboxes that hold messages, of those made since the runtime with its
 * option `report`. CO4_OK: nothing. CO4_EBUSY: something. CO4_EINVAL. */
int co4_runtime_report(struct co4_runtime *rt, co4_write *write, void *data);

/* ---- what stands still ---- */

/* A step that takes long: its thread does not come to other tasks meanwhile. */
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
