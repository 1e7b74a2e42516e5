/* inbox_taken.c - an idle worker takes the inbox of a worker whose step does not end, long before
 * the monitor. Pinned tasks stay there, and all of them if the options say so.
 *
 * Worker 0 computes until all tasks have run that were sent to it and are not pinned.
 * needs: threads workers
 * modes: woven forced
 * expect: all ran elsewhere, and 0 of the pinned; at last 100 and 3
 * expect: some ran elsewhere, and 0 of the pinned; at last 100 and 3 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { TASKS = 100, PINNED = 3 };

static atomic_int ran, pinned_ran;
static int64_t limit;
static atomic_bool computing;

static pausable void runs(void)
{
    ran++;
}

static pausable void runs_pinned(void)
{
    pinned_ran++;
}

static pausable void computes(void)
{
    int64_t end = co4_now() + limit;
    computing = true;
    while (ran < TASKS && co4_now() < end)
        ;
    printf("%s ran elsewhere, and %d of the pinned; ", ran == TASKS ? "all" : "some",
           (int)pinned_ran);
}

static void start(co4_runtime *rt, co4_task *t, int worker)
{
    co4_task_pin(t, worker);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
}

/* On worker 1, whose load grows: some of the tasks go to worker 0. */
static pausable void spawns(void)
{
    for (int i = 0; i < TASKS; i++) {
        if (i < PINNED)
            start(NULL, co4_task_create(runs_pinned()), 0);
        co4_spawn(runs());
    }
}

static void try(int64_t rescue_after)
{
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .rescue_after = rescue_after });
    ran = pinned_ran = 0;
    computing = false;
    co4_runtime_start(rt);
    start(rt, co4_task_create(computes()), 0);
    while (!computing)
        usleep(100);
    start(rt, co4_task_create(spawns()), 1);
    co4_runtime_join(rt);
    printf("at last %d and %d\n", (int)ran, (int)pinned_ran);
    co4_runtime_destroy(rt);
}

int main(void)
{
    limit = 10 * CO4_SEC; /* so that a test that fails ends */
    try(1000 * CO4_SEC);
    limit = 200 * CO4_MS;
    try(CO4_NEVER);
    return 0;
}
