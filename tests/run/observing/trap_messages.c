/* trap_messages.c - what a program may not intend is said once on standard error: a task that is
 * started where there is no runtime, or where one of several is meant. A runtime whose options
 * leave the workers out has threads.
 * modes: woven forced
 * needs: threads posix
 * expect: no runtime: 1 line: a thread outside tasks starts a task, and no runtime is started:
 * expect: refused: NULL, NULL, not possible in this state
 * expect: one runtime: 0 lines, 3
 * expect: several runtimes: 1 line: several runtimes are started, and a thread outside tasks starts a task:
 * expect: named: 0 lines, 5
 * expect: without workers in the options: at least one
 * expect: less than embedded: NULL */
#include <co4.h>
#include <stdio.h>

#include "said.h"

static pausable int number(int n)
{
    co4_yield();
    return n;
}

static co4_runtime *started(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .batch = 8 });
    if (rt && co4_runtime_start(rt) == CO4_OK)
        return rt;
    return NULL;
}

int main(void)
{
    int n = 0;
    listen();
    const char *spawned = co4_spawn(number(1)) ? "a task" : "NULL";
    co4_future *f = co4_async(number(1));
    co4_task *t = co4_task_create(number(1));
    int err = co4_runtime_schedule(NULL, t);
    co4_task_release(t);
    tell("no runtime", ":");
    printf("\nrefused: %s, %s, %s\n", spawned, f ? "a future" : "NULL", co4_strerror(err));

    co4_runtime *one = started();
    listen();
    f = co4_async(number(3));
    co4_block(co4_future_await(f, &n));
    co4_future_release(f);
    tell("one runtime", ":");
    printf(", %d\n", n);

    co4_runtime *two = started();
    listen();
    t = co4_spawn(number(4));
    co4_block(co4_join(t, &n));
    f = co4_async(number(4));
    co4_block(co4_future_await(f, &n));
    co4_future_release(f);
    tell("several runtimes", ":");
    printf("\n");
    listen();
    f = co4_runtime_async(one, number(5));
    co4_block(co4_future_await(f, &n));
    co4_future_release(f);
    t = co4_runtime_spawn(two, number(5));
    co4_block(co4_join(t, &n));
    tell("named", ":");
    printf(", %d\n", n);
    printf("without workers in the options: %s\n",
           co4_runtime_workers(one) > 0 ? "at least one" : "none");
    co4_runtime_join(one);
    co4_runtime_join(two);
    co4_runtime_destroy(one);
    co4_runtime_destroy(two);
    printf("less than embedded: %s\n",
           co4_runtime_create(&(co4_runtime_options){ .workers = -2 }) ? "made" : "NULL");
    return 0;
}
