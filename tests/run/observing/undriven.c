/* undriven.c - a thread waits for a task of an embedded runtime that no other thread drives.
 * That is said once on standard error, for a join and for a future alike.
 * modes: woven forced
 * needs: threads posix workers
 * expect: a join: 1 line: a thread waits for a task of an embedded runtime that no other thread drives:
 * expect: timed out, then 7
 * expect: a future, later: 0 lines
 * expect: timed out, then 8 */
#include <co4.h>
#include <stdio.h>

#include "said.h"

static pausable int number(int n)
{
    co4_yield();
    return n;
}

int main(void)
{
    int n = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    co4_task *t = co4_runtime_spawn(rt, number(7));
    listen();
    int err = co4_block(co4_task_join_until(t, co4_now() + 2 * CO4_MS));
    tell("a join", ":");
    co4_runtime_join(rt);
    co4_block(co4_join(t, &n));
    printf("\n%s, then %d\n", err == CO4_ETIMEDOUT ? "timed out" : "?", n);

    co4_future *f = co4_runtime_async(rt, number(8));
    listen();
    err = co4_block(co4_future_await_until(f, &n, co4_now() + 2 * CO4_MS));
    tell("a future, later", ":");
    co4_runtime_join(rt);
    co4_block(co4_future_await(f, &n));
    co4_future_release(f);
    printf("\n%s, then %d\n", err == CO4_ETIMEDOUT ? "timed out" : "?", n);
    return co4_runtime_destroy(rt);
}
