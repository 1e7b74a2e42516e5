/* tables.c - deferred calls that are taken back, task-local values, buffers of setjmp, streams and
 * their waiters: in all, twice as many cost twice as much, and one costs the same beside many. */
#include <co4.h>
#include <co4/posix_stdio.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "scaling.h"

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* ---- deferred calls ---- */

static void nothing(void *arg)
{
    (void)arg;
}

static pausable void undefer(long n, int oldest_first)
{
    char *at = calloc((size_t)n, 1);
    for (long i = 0; i < n; i++)
        must(co4_defer(nothing, &at[i]));
    measure_begin();
    for (long i = 0; i < n; i++)
        must(co4_undefer(nothing, &at[oldest_first ? i : n - 1 - i]));
    measure_end();
    if (co4_undefer(nothing, at) != CO4_ESTATE)
        abort();
    free(at);
}

static void oldest_first(long n)
{
    co4_run(undefer(n, 1));
}

static void newest_first(long n)
{
    co4_run(undefer(n, 0));
}

static pausable void defer_the_same(long n)
{
    measure_begin();
    for (long i = 0; i < n; i++)
        must(co4_defer(nothing, NULL));
    for (long i = 0; i < n - 1; i++)
        must(co4_undefer(nothing, NULL));
    measure_end();
}

static void the_same(long n)
{
    co4_run(defer_the_same(n));
}

/* ---- task-local values ---- */

static pausable void set_all(co4_task_local *keys, long n)
{
    measure_begin();
    for (long i = 0; i < n; i++)
        must(co4_task_local_set(&keys[i], &keys[i]));
    for (long i = 0; i < n; i++)
        if (co4_task_local_get(&keys[i]) != &keys[i])
            abort();
    measure_end();
}

static void locals(long n)
{
    co4_task_local *keys = calloc((size_t)n, sizeof *keys);
    co4_run(set_all(keys, n));
    free(keys);
}

/* ---- setjmp ---- */

static pausable void holds_buffer(co4_future *gate)
{
    jmp_buf buf;
    if (setjmp(buf) == 0)
        co4_future_await(gate, NULL);
}

static pausable int jumps(void)
{
    jmp_buf buf;
    volatile int n = 0;
    if (setjmp(buf) < 3) {
        co4_yield();
        longjmp(buf, ++n);
    }
    return n;
}

static pausable void jump_beside(long n)
{
    co4_future *gate = co4_future_create(0);
    for (long i = 0; i < n; i++)
        co4_spawn(holds_buffer(gate));
    co4_yield();
    measure_begin();
    for (int i = 0; i < 1000; i++)
        if (jumps() != 3)
            abort();
    measure_end();
    co4_future_complete(gate, NULL);
    co4_future_release(gate);
}

static void jumps_beside_others(long n)
{
    co4_run(jump_beside(n));
}

static pausable void jumps_back(co4_future *gate, co4_waitgroup *done)
{
    jmp_buf buf;
    if (setjmp(buf) == 0) {
        co4_future_await(gate, NULL);
        longjmp(buf, 1);
    }
    co4_waitgroup_done(done);
}

/* The one that has waited longest goes first, so the newest buffer is never the one that is looked
 * for. */
static pausable void all_jump_back(long n)
{
    co4_future *gate = co4_future_create(0);
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    for (long i = 0; i < n; i++)
        co4_spawn(jumps_back(gate, &done));
    co4_yield();
    measure_begin();
    co4_future_complete(gate, NULL);
    co4_waitgroup_wait(&done);
    measure_end();
    co4_future_release(gate);
}

static void jumps_of_all(long n)
{
    co4_run(all_jump_back(n));
}

/* ---- streams that are locked, and waiters ---- */

static void close_plainly(FILE *stream)
{
    fclose(stream);
}

static pausable void waits_at(FILE *stream, co4_waitgroup *done)
{
    co4_posix_flockfile(stream);
    co4_posix_funlockfile(stream);
    co4_waitgroup_done(done);
}

/* n tasks wait at so many streams, which this one has locked. It locks and unlocks another. */
static pausable void lock_beside(long n, long streams, bool beside)
{
    FILE **all = calloc((size_t)streams, sizeof *all), *other = fmemopen(NULL, 8, "w");
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    for (long i = 0; i < streams; i++) {
        all[i] = fmemopen(NULL, 8, "w");
        co4_posix_flockfile(all[i]);
    }
    for (long i = 0; i < n; i++)
        co4_spawn(waits_at(all[i % streams], &done));
    co4_yield();
    measure_begin();
    for (int i = 0; i < 1000 && beside; i++) {
        co4_posix_flockfile(other);
        co4_posix_funlockfile(other);
    }
    if (beside)
        measure_end();
    for (long i = 0; i < streams; i++)
        co4_posix_funlockfile(all[i]);
    co4_waitgroup_wait(&done);
    if (!beside)
        measure_end();
    for (long i = 0; i < streams; i++)
        co4_blocking(close_plainly(all[i]));
    co4_blocking(close_plainly(other));
    free(all);
}

static void stream_beside_others(long n)
{
    co4_run(lock_beside(n, n, true));
}

static void streams_of_all(long n)
{
    co4_run(lock_beside(n, n, false));
}

static void stream_of_many(long n)
{
    co4_run(lock_beside(n, 1, false));
}

int main(void)
{
    return grows("undefer, oldest first", oldest_first, 20000, LINEAR) |
           grows("undefer, newest first", newest_first, 20000, LINEAR) |
           grows("the same call deferred", the_same, 20000, LINEAR) |
           grows("task-local values", locals, 20000, LINEAR) |
           grows("setjmp and longjmp beside others", jumps_beside_others, 20000, CONSTANT) |
           grows("longjmp of each of many", jumps_of_all, 20000, LINEAR) |
           grows("a stream beside others", stream_beside_others, 10000, CONSTANT) |
           grows("streams of many waiters", streams_of_all, 10000, LINEAR) |
           grows("many waiters of one stream", stream_of_many, 10000, LINEAR);
}
