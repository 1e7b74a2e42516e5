/* runs.c - the end of a co4_run that leaves a waiter, and a dump beside it, while there are many
 * tasks elsewhere. */
#include <stdlib.h>

#include <co4.h>

#include "scaling.h"

static pausable void waits(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
}

static pausable void leaves(long n)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    for (long i = 0; i < n; i++)
        co4_spawn(waits(mb));
    co4_yield();
}

/* Ten runs that leave ten waiters each, beside a runtime with n tasks. */
static void ends_beside(long n)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    for (long i = 0; i < n; i++)
        co4_runtime_spawn(rt, waits(mb));
    co4_runtime_run_once(rt);
    measure_begin();
    for (int i = 0; i < 10; i++)
        co4_run(leaves(10));
    measure_end();
    co4_mailbox_close(mb);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

/* One that leaves n. */
static void leaves_many(long n)
{
    measure_begin();
    co4_run(leaves(n));
    measure_end();
}

/* One that has had n tasks after each other, few at a time. */
static pausable void nothing(void) {}

static pausable void spawns(long n)
{
    for (long i = 0; i < n; i++) {
        co4_spawn(nothing());
        if (i % 10 == 0)
            co4_yield();
    }
}

static void few_at_a_time(long n)
{
    measure_begin();
    co4_run(spawns(n));
    measure_end();
}

/* As many wait meanwhile. */
static pausable void spawns_beside(long n)
{
    leaves(n);
    measure_begin();
    spawns(20000);
    measure_end();
}

static void beside_waiters(long n)
{
    co4_run(spawns_beside(n));
}

int main(void)
{
    int failed = 0;
    failed += grows("runs that end beside many tasks", ends_beside, 40000, CONSTANT);
    failed += grows("a run that leaves many", leaves_many, 20000, LINEAR);
    failed += grows("a run of many short tasks", few_at_a_time, 20000, LINEAR);
    failed += grows("short tasks beside many that wait", beside_waiters, 20000, CONSTANT);
    return failed > 0;
}
