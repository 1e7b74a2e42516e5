/* test_back_off.c - a thread that waits for an action of another thread leaves it the processor,
 * also where that has a lower priority: it sleeps before long.
 *
 * sched_yield() and nanosleep() are ours here: the awaited event comes with the first sleep, and
 * yields without an end are a failure. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "platform/lock.h"

#define MOST 10000 /* yields before the first sleep */

static atomic_int yields, sleeps;
static atomic_bool counts; /* not when a sanitizer looks for leaks, at the end */
static co4__lock *held;    /* unlocked at the first sleep; NULL: none */

int sched_yield(void)
{
    if (atomic_load(&counts) && atomic_fetch_add(&yields, 1) > MOST) {
        fputs("it only yields\n", stderr);
        exit(1);
    }
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *left)
{
    atomic_fetch_add(&sleeps, 1);
    if (held)
        co4__lock_give(held);
    held = NULL;
    return clock_nanosleep(CLOCK_MONOTONIC, 0, duration, left);
}

static void begin(void)
{
    atomic_store(&yields, 0);
    atomic_store(&sleeps, 0);
    atomic_store(&counts, true);
}

static void lock(void **state)
{
    (void)state;
    co4__lock l = { 0 };
    begin();
    co4__lock_take(&l);
    held = &l;
    co4__lock_take(&l);
    co4__lock_give(&l);
    assert_int_equal(atomic_load(&sleeps), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    atomic_store(&counts, false);
    return failed;
}
