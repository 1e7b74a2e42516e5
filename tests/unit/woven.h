/* woven.h - what the unit tests share: a small kit to weave by hand, and cmocka.
 *
 * The simplest woven function: its call frame is its frame, all its locals are pinned in it, and
 * its resume entry is its only one. AWAIT is one suspension point. tests/run/ has the real weaver's
 * output; here the runtime is alone.
 *
 *   struct f { co4_frame head; int n, r; };
 *   static void f_resume(co4_fiber *co4, co4_frame *head);
 *   FUNC(f, sizeof(int), 1);
 *   static void f_resume(co4_fiber *co4, co4_frame *head)
 *   {
 *       struct f *f = (void *)head;
 *       ENTRY1(f);
 *       AWAIT(f, 1, f->r, co4_yield__co4(co4));
 *       RETURN(f, f->r);
 *   } */
#ifndef WOVEN_H
#define WOVEN_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "base/random.h"
#include "base/ring.h"
#include "base/simulation.h"
#include "core/fiber.h"
#include "core/sleep.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/task_pool.h"
#include "core/timers.h"
#include "core/wait.h"
#include "debug/on_step.h"
#include "memory/pool.h"
#include "plain/plain.h"
#include "platform/exclusive.h"
#include "platform/lock.h"
#include "platform/system.h"
#include "platform/thread.h"
#include "sched/monitor.h"
#include "sched/policy.h"
#include "sched/queue.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* STEM_func, a description and its points: up to three, or one if the frame has a result wider than
 * the fiber keeps at the offset `wide`. */
#define DESCRIBE(stem, frame_, bytes_, points_, wide)                                              \
    static const struct {                                                                          \
        co4_abi_func func;                                                                         \
        co4_abi_point points[4];                                                                   \
    } stem##_func = {                                                                              \
        .func = {                                                                                  \
            .frame_bytes = sizeof(struct frame_),                                                  \
            .result_bytes = (bytes_) | ((wide) ? CO4_ABI_WIDE : 0),                                \
            .name = #stem,                                                                         \
            .info = &(const co4_abi_info){ .file = __FILE__,                                       \
                                           .line = __LINE__,                                       \
                                           .npoints = (points_) },                                 \
        },                                                                                         \
        .points = { { .resume = stem##_resume, .id = 0 },                                          \
                    { .resume = stem##_resume, .id = 1 },                                          \
                    { .resume = stem##_resume, .id = (wide) ? (wide) : 2 },                        \
                    { .resume = stem##_resume, .id = 3 } },                                        \
    }
#define FUNC(f, result, points_) DESCRIBE(f, f, result, points_, 0)

#define ENTRY1(f)                                                                                  \
    do                                                                                             \
        if ((f)->head.at->id == 1)                                                                 \
            goto resume_1;                                                                         \
    while (0)
#define ENTRY2(f)                                                                                  \
    do {                                                                                           \
        if ((f)->head.at->id == 1)                                                                 \
            goto resume_1;                                                                         \
        if ((f)->head.at->id == 2)                                                                 \
            goto resume_2;                                                                         \
    } while (0)
#define ENTRY3(f)                                                                                  \
    do {                                                                                           \
        ENTRY2(f);                                                                                 \
        if ((f)->head.at->id == 3)                                                                 \
            goto resume_3;                                                                         \
    } while (0)

#define AWAIT(f, k, r, call)                                                                       \
    do {                                                                                           \
        (r) = (call);                                                                              \
        if (co4_abi_pausing(co4)) {                                                                \
            co4_abi_save(co4, (f), (f)->head.at - (f)->head.at->id + (k));                         \
            return;                                                                                \
            resume_##k : (r) = co4->result.i;                                                      \
        }                                                                                          \
    } while (0)

#define RETURN(f, value)                                                                           \
    do {                                                                                           \
        int value_ = (value);                                                                      \
        co4_abi_frame_drop(co4, (f));                                                              \
        co4->result.i = value_;                                                                    \
        return;                                                                                    \
    } while (0)

/* A call frame with its arguments; NULL when out of memory. */
#define CALL(f, var, ...)                                                                          \
    struct f *var = co4_abi_call_take(&f##_func.func);                                             \
    if (var)                                                                                       \
        do {                                                                                       \
            co4_frame head_ = var->head;                                                           \
            *var = (struct f){ .head = head_, __VA_ARGS__ };                                       \
    } while (0)

/* co4_run(f(...)) as woven code has it, for a call made with CALL. */
static inline int run_call(void *call)
{
    int value = 0;
    co4_fiber *co4 = call ? co4_abi_run_begin() : NULL;
    if (!co4) {
        co4_abi_frame_drop(NULL, call);
        return 0;
    }
    ((co4_frame *)call)->at->resume(co4, call);
    if (!co4_abi_pausing(co4) || co4_abi_run_drive(co4) == 0)
        value = co4->result.i;
    co4_abi_run_end(co4);
    return value;
}

#define NEEDS_THREADS()                                                                            \
    do                                                                                             \
        if (!co4__has_threads)                                                                     \
            skip();                                                                                \
    while (0)

/* Nothing may be left over: to be called when no thread is at work. */
static inline void check_no_leak(long long pool, long long alloc)
{
    assert_int_equal(co4_test_pool_live(), pool);
    assert_int_equal(co4_test_alloc_live(), alloc);
}

#endif
