/* none.c - the platform without threads: the same runtime on the only thread.
 *
 * Workers are only queues. A call that would block runs every started runtime, one turn at a time:
 * no other code could end the wait. If no task is ready and no timer is set, the call returns
 * CO4_EDEADLK.
 *
 * Time comes from clock_gettime where it exists, else from C11's timespec_get. On a system without
 * nanosleep, sleeping polls the clock. */
#if defined(__unix__) || defined(__APPLE__) || defined(__wasi__) || defined(__EMSCRIPTEN__)
#define _POSIX_C_SOURCE 200809L
#define HAS_POSIX_TIME  1
#else
#define HAS_POSIX_TIME 0
#endif
#ifndef CO4__NO_THREADS /* the whole library needs the same setting */
#define CO4__NO_THREADS
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/hooks.h"
#include "base/public.h"
#include "platform/thread.h"

const bool co4__has_threads = false;

struct co4__local co4__here;

bool co4__thread_at_exit(void)
{
    return true;
}

int64_t co4__clock(void)
{
    struct timespec t;
#if HAS_POSIX_TIME
    clock_gettime(CLOCK_MONOTONIC, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (int64_t)t.tv_sec * CO4_SEC + t.tv_nsec;
}

void co4__sleep_thread(int64_t deadline)
{
    for (int64_t now; (now = co4__clock()) < deadline;) {
#if HAS_POSIX_TIME
        struct timespec t = { .tv_sec = (time_t)((deadline - now) / CO4_SEC),
                              .tv_nsec = (long)((deadline - now) % CO4_SEC) };
        nanosleep(&t, NULL);
#endif
    }
}

/* ---- parkers: a flag, and work to do until it is set ---- */

int co4__parker_init(struct co4__parker *p)
{
    p->u.space[0] = 0;
    return CO4_OK;
}

void co4__parker_fini(struct co4__parker *p)
{
    (void)p;
}

/* Without runtimes but those of co4_run there is nothing to turn. */
static unsigned turn_all(int64_t *next)
{
    *next = CO4_NEVER;
    return co4__hooks.turn_all ? co4__hooks.turn_all(next) : 0;
}

int co4__parker_wait(struct co4__parker *p, int64_t deadline)
{
    if (!p->u.space[0]) {
        int64_t next;
        if (turn_all(&next) == 0 && !p->u.space[0]) {
            if (next > deadline)
                next = deadline;
#ifndef __EMSCRIPTEN__ /* where no event comes while C runs */
            if (co4__hooks.sleep_for_events && co4__hooks.sleep_for_events(next))
                return CO4_ETIMEDOUT; /* the tasks that events wake have to run first */
#endif
            if (next == CO4_NEVER)
                return CO4_EDEADLK;
            co4__sleep_thread(next);
        }
    }
    if (!p->u.space[0])
        return CO4_ETIMEDOUT; /* maybe early */
    p->u.space[0] = 0;
    return CO4_OK;
}

int co4__parker_look(struct co4__parker *p, int64_t deadline)
{
    return co4__parker_wait(p, deadline);
}

int co4__parker_idle(struct co4__parker *p, int64_t deadline)
{
    return co4__parker_wait(p, deadline);
}

void co4__parker_wake(struct co4__parker *p)
{
    p->u.space[0] = 1;
}

void co4__parker_interrupt(struct co4__parker *p)
{
    (void)p; /* the interrupting code runs within the wait, which then checks again */
}

/* ---- threads: none ---- */

int co4__thread_start(struct co4__thread *t, void (*main)(void *), void *arg)
{
    (void)t, (void)main, (void)arg;
    return CO4_EAGAIN;
}

int co4__thread_start_detached(void (*main)(void *), void *arg)
{
    (void)main, (void)arg;
    return CO4_EAGAIN;
}

int co4__thread_start_apart(struct co4__thread *t, void (*main)(void *), void *arg)
{
    (void)t, (void)main, (void)arg;
    return CO4_EAGAIN;
}

void co4__thread_detach(struct co4__thread *t)
{
    (void)t;
}

void co4__thread_self(struct co4__thread *t)
{
    (void)t;
}

void co4__thread_takes_signals(bool takes)
{
    (void)takes;
}

void co4__thread_join(struct co4__thread *t)
{
    (void)t;
}

void co4__back_off(unsigned tries)
{
    (void)tries;
}

void co4__thread_yield(void) {}

size_t co4__stack_left(void)
{
    return SIZE_MAX;
}

bool co4__on_this_stack(const void *p)
{
    (void)p;
    return true;
}
