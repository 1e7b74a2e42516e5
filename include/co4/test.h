/* co4/test.h - for tests. Not pulled in by co4.h; nothing here is needed to use co4.
 *
 * Test mode runs a program of tasks on one thread, in an order that a seed decides. Its clock is
 * its own, and jumps to the next deadline when nothing is ready. The same seed makes the same run,
 * step by step; another seed another one. So a test that waits for an hour takes no time, and a
 * failure that only one order of a thousand shows can be repeated.
 *
 *     for (unsigned seed = 1; seed <= 1000; seed++) {
 *         co4_test_begin(&(co4_test_options){ .seed = seed, .late = 10, .late_steps = 20 });
 *         co4_run(work());                        and runtimes made here, whatever their workers
 *         co4_test_end(NULL);
 *     }
 *
 * Between begin and end all runs and objects of the calling thread belong to the test: each
 * co4_run(), each runtime; its co4_now(); its waits, which give steps to the tasks meanwhile and
 * are CO4_EDEADLK when nothing can happen any more, a second later where a task waits for a
 * descriptor of the system. A runtime with the option `test` has a test of its own. Workers of such
 * runtimes are simulated: queues, among which the seed chooses.
 *
 * A program that includes this header links test mode. That is a library of its own, co4_test, for
 * those that link shared libraries.
 *
 * Sockets and pipes are simulated, too (test_network.h). The seed does not decide other threads,
 * files, other answers of the system, and addresses in memory. */
#ifndef CO4_TEST_H
#define CO4_TEST_H

#include <stdint.h>

#include "insight.h"
#include "runtime.h"
#include "test_network.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CO4_TEST_WORKERS 4 /* of a simulated runtime that asks for one a processor */

/* Which of the tasks that are ready runs next, and where a step ends before its end. */
typedef enum co4_test_strategy {
    CO4_TEST_QUEUES,  /* what workers do, with the faults below */
    CO4_TEST_RANDOM,  /* a random walk */
    CO4_TEST_PCT,     /* random priorities, which change at depth - 1 random choices */
    CO4_TEST_POS,     /* a random priority for each operation */
    CO4_TEST_SCHEDULE /* the task that ran, and else the one with the next number, but where the
                         schedule says another one */
} co4_test_strategy;

/* At this choice, counted from 1, the task with this number runs next; 0: time passes. */
typedef struct co4_test_switch {
    unsigned long long choice;
    unsigned task;
} co4_test_switch;

/* How test mode runs a program. All zero: in the order in which tasks become ready. */
struct co4_test_options {
    unsigned long long seed; /* 0: no random order: tasks run as they became ready */
    int64_t start;           /* the first time of the clock; not negative */
    /* The time of a step by that clock; 0: it does not move while a task is ready. */
    int64_t step_ns;
    /* Faults, each once in so many times; 0: never. */
    unsigned late,
        /* A task that is woken or spawned enters its queue 1 … late_steps steps later. */
        late_steps;
    unsigned stall,
        /* At a step some worker stops for 1 … stall_steps steps. */
        stall_steps;
    /* A step ends by itself, so that others may go on, after 1 … preempt calls that may pause: a
     * number is drawn for each step. 0: after as many as the runtime says. */
    unsigned preempt;
    /* The other strategies choose where a step ends, and at decisions, which programs of
     * co4weave --auto=test have. */
    co4_test_strategy strategy;
    unsigned depth;                  /* PCT; 0: 3 */
    unsigned long long length;       /* PCT: the choices of a run, about; 0: 1000 */
    const co4_test_switch *schedule; /* SCHEDULE: by ascending choices; it outlives the test */
    unsigned long long nschedule;
    /* Gets a line for each choice among several: "CHOICE CHOSEN USUAL READY…", numbers of tasks;
     * USUAL is what SCHEDULE runs without a line. NULL: none. */
    co4_writer *choices;
    void *choices_data;
    /* Gets a line of text for each thing that happens; NULL: none. "STEP CLOCK worker N task N NAME
     * STATE [CALL]" */
    co4_writer *trace;
    void *trace_data;
};

/* The events of a test. */
typedef struct co4_test_result {
    unsigned long long steps; /* made, and skipped while all workers were stopped */
    unsigned long long jumps; /* of the clock */
    unsigned long long late, stalls;
    unsigned long long choices; /* of a strategy, without those of QUEUES */
    unsigned long long digest;  /* of all events, in their order: equal for equal runs */
} co4_test_result;

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: the thread that is in test mode.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* Begins test mode for the calling thread. NULL: all options are zero.
 *
 * Returns: CO4_OK; CO4_EINVAL; CO4_ENOMEM; CO4_ESTATE inside tasks, and in test mode.
 * Ownership: the options are copied. */
int co4_test_begin(const co4_test_options *options);

/* A runtime's option names no function: this draws test mode into each program that includes the
 * header. */
#if (defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)) && !defined(CO4__IS_LIBRARY)
__attribute__((used)) static int (*const co4__test_mode_is_linked)(
    const co4_test_options *options) = co4_test_begin;
#endif

/* Ends it, and writes its events to *out, unless that is NULL.
 *
 * Simulated descriptors that are still open are closed.
 *
 * Returns: CO4_OK; CO4_EBUSY while a runtime made in it lives; CO4_ESTATE inside tasks, and when it
 *     has not begun. */
int co4_test_end(co4_test_result *out);

/* Writes the events so far in the test of that runtime; NULL: of this thread.
 *
 * Returns: CO4_OK; CO4_ESTATE when there is none; CO4_EINVAL. */
int co4_test_result_of(const co4_runtime *rt, co4_test_result *out);

/* Makes an allocation of the library fail: 1 the next one, 2 the one after, and so on; then all
 * succeed again. A negative n: the |n|-th and all that follow. 0: none. Frames and tasks from the
 * pools count as allocations.
 *
 * Returns: the remainder of the former n; -1 when all fail.
 * Thread safety: any thread; it holds for all. */
long co4_test_fail_alloc(long n);

/* Objects of the pools (tasks, frames, timers, generators, mailboxes) in use, over all threads.
 * Exact when no other thread is at work. Equal before and after means that nothing has leaked.
 *
 * Returns: the number.
 * Thread safety: any thread. */
long long co4_test_pool_live(void);

/* Blocks that the library has from malloc for other things: runtimes, rings of mailboxes, co4_runs.
 *
 * Returns: the number.
 * Thread safety: any thread. */
long long co4_test_alloc_live(void);

#ifdef __cplusplus
}
#endif

#endif
