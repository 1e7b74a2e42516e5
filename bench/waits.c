/* waits.c - waiting for one of several things, for a moment, and how long a wake takes where there
 * is other work.
 *
 * Bases: for select, state machines and rings, looked into by turns; for timers, a binary heap that
 * entries are put into and taken from, where nothing waits; for wakes, one step of the load, since
 * a woken task waits for a step to end. */
#include "bench.h"

#include <co4.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SOURCES = 8,
    EACH = 200 * 1000,
    TIMERS = 1000 * 1000,
    WAKES = 2000,
};

/* ---- select over 8 mailboxes ---- */

pausable void select_producer(co4_mailbox *out, long count)
{
    for (long i = 1; i <= count; i++)
        co4_mailbox_send(out, &i);
}

/* The cases are made once: a select may use those of an earlier one. */
pausable void select_consumer(co4_mailbox **boxes, long count, long *sum)
{
    long value, total = 0;
    co4_case cases[SOURCES];
    for (int i = 0; i < SOURCES; i++)
        cases[i] = (co4_case)CO4_CASE(co4_mailbox_source(boxes[i]), &value);
    for (long i = 0; i < count; i++)
        if (co4_select(cases, SOURCES) >= 0)
            total += value;
    *sum = total;
}

static double run_select(long each)
{
    co4_runtime *rt = bench_runtime();
    co4_mailbox *boxes[SOURCES];
    long sum = 0;
    for (int i = 0; i < SOURCES; i++)
        boxes[i] = co4_mailbox_create(sizeof(long), CO4_MAILBOX_CAPACITY);
    co4_runtime_spawn(rt, select_consumer(boxes, SOURCES * each, &sum));
    for (int i = 0; i < SOURCES; i++)
        co4_runtime_spawn(rt, select_producer(boxes[i], each));
    double seconds = bench_finish(rt);
    for (int i = 0; i < SOURCES; i++)
        co4_mailbox_destroy(boxes[i]);
    bench_check("select_8", sum, SOURCES * (each * (each + 1) / 2));
    return seconds * 1e9 / (SOURCES * (double)each);
}

static double base_select(long each)
{
    double begin = bench_now();
    bench_check("select_8", plain_select(SOURCES, each), SOURCES * (each * (each + 1) / 2));
    return (bench_now() - begin) * 1e9 / (SOURCES * (double)each);
}

/* ---- timers: armed and cancelled, armed and fired; each with a task that waits ---- */

pausable void wait_an_hour(co4_mailbox *stop)
{
    int message;
    bench_check("timer_cancel",
                co4_mailbox_receive_until(stop, &message, co4_now() + 3600 * CO4_SEC), CO4_ECLOSED);
}

pausable void wait_briefly(long i)
{
    co4_sleep((1 + i % 10) * CO4_MS);
}

pausable void start_waiting(co4_mailbox *stop, long count)
{
    for (long i = 0; i < count; i++) {
        if (stop != NULL)
            co4_spawn(wait_an_hour(stop));
        else
            co4_spawn(wait_briefly(i));
        if (i % 256 == 255)
            co4_yield(); /* so that they begin to wait */
    }
    if (stop != NULL)
        co4_mailbox_close(stop);
}

static double run_timer_cancel(long count)
{
    co4_runtime *rt = bench_runtime();
    co4_mailbox *stop = co4_mailbox_create(sizeof(int), 1);
    co4_runtime_spawn(rt, start_waiting(stop, count));
    double seconds = bench_finish(rt);
    co4_mailbox_destroy(stop);
    return seconds * 1e9 / (double)count;
}

static double run_timer_fire(long count)
{
    co4_runtime *rt = bench_runtime();
    co4_runtime_spawn(rt, start_waiting(NULL, count));
    return bench_finish(rt) * 1e9 / (double)count;
}

static double base_timers(long count, bool cancelled)
{
    double begin = bench_now();
    bench_check("timers", plain_timers(count, cancelled), count);
    return (bench_now() - begin) * 1e9 / (double)count;
}
static double base_timer_cancel(long count)
{
    return base_timers(count, true);
}
static double base_timer_fire(long count)
{
    return base_timers(count, false);
}

/* ---- a wake under load: four tasks a worker, each at work for `step` nanoseconds ---- */

struct wakes {
    co4_mailbox *there, *back;
    int64_t *late; /* nanoseconds */
    long count, step;
    atomic_bool over;
};

pausable void load(struct wakes *w)
{
    while (!w->over) {
        plain_load_step(w->step);
        co4_yield();
    }
}

pausable void woken(struct wakes *w)
{
    for (long i = 0; i < w->count; i++) {
        int64_t sent, late;
        co4_mailbox_receive(w->there, &sent);
        late = co4_now() - sent;
        co4_mailbox_send(w->back, &late);
    }
}

pausable void waker(struct wakes *w)
{
    for (long i = 0; i < w->count; i++) {
        co4_sleep(100 * CO4_US);
        int64_t now = co4_now();
        co4_mailbox_send(w->there, &now);
        co4_mailbox_receive(w->back, &w->late[i]);
    }
    w->over = true;
}

pausable void sleeper(struct wakes *w)
{
    for (long i = 0; i < w->count; i++) {
        int64_t due = co4_now() + CO4_MS;
        co4_sleep_until(due);
        w->late[i] = co4_now() - due;
    }
    w->over = true;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double late(long count, long step, bool sleeps, double share)
{
    co4_runtime *rt = bench_runtime();
    struct wakes w = { .there = co4_mailbox_create(sizeof(int64_t), 1),
                       .back = co4_mailbox_create(sizeof(int64_t), 1),
                       .late = malloc((size_t)count * sizeof(int64_t)),
                       .count = count,
                       .step = step };
    for (int i = 0; i < 4 * bench_workers; i++)
        co4_runtime_spawn(rt, load(&w));
    if (sleeps) {
        co4_runtime_spawn(rt, sleeper(&w));
    } else {
        co4_runtime_spawn(rt, woken(&w));
        co4_runtime_spawn(rt, waker(&w));
    }
    bench_finish(rt);
    qsort(w.late, (size_t)count, sizeof *w.late, ascending);
    double result = (double)w.late[(long)(share * (double)(count - 1))];
    bench_check("wake", w.late[0] >= 0, 1);
    free(w.late);
    co4_mailbox_destroy(w.there);
    co4_mailbox_destroy(w.back);
    return result;
}

#define LATE(name, step, sleeps, share)                                                            \
    static double run_##name(long count)                                                           \
    {                                                                                              \
        return late(count, step, sleeps, share);                                                   \
    }                                                                                              \
    static double base_##name(long count)                                                          \
    {                                                                                              \
        (void)count;                                                                               \
        return plain_load_step(step);                                                              \
    }
#define LATE_TWICE(name, step, sleeps)                                                             \
    LATE(name##_p50, step, sleeps, 0.5) LATE(name##_p99, step, sleeps, 0.99)

LATE_TWICE(wake_5us, 5000, false)
LATE_TWICE(wake, 20000, false)
LATE(wake_p999, 20000, false, 0.999)
LATE_TWICE(wake_200us, 200 * 1000, false)
LATE_TWICE(wake_1ms, 1000 * 1000, false)
LATE_TWICE(wake_5ms, 5000 * 1000, false)
LATE_TWICE(sleep_5us, 5000, true)
LATE_TWICE(sleep_200us, 200 * 1000, true)
LATE_TWICE(sleep_5ms, 5000 * 1000, true)

#define ROW(name, size)                                                                            \
    {                                                                                              \
#name, "ns", run_##name, base_##name, size, 3                                              \
    }
#define ROWS(name, size) ROW(name##_p50, size), ROW(name##_p99, size)

const bench_workload bench_waits[] = {
    { "select_8", "ns", run_select, base_select, EACH, 0 },
    { "timer_cancel", "ns", run_timer_cancel, base_timer_cancel, TIMERS, 0 },
    { "timer_fire", "ns", run_timer_fire, base_timer_fire, TIMERS, 0 },
    ROWS(wake_5us, WAKES),
    ROWS(wake, WAKES),
    ROW(wake_p999, WAKES),
    ROWS(wake_200us, WAKES / 4),
    ROWS(wake_1ms, WAKES / 10),
    ROWS(wake_5ms, WAKES / 20),
    ROWS(sleep_5us, WAKES / 4),
    ROWS(sleep_200us, WAKES / 4),
    ROWS(sleep_5ms, WAKES / 20),
    { 0 },
};
