/* embed.c - tasks in a host's own loop: no thread, nothing blocks but the host.
 * modes: woven forced
 * expect: tick 1
 * expect: tick 2
 * expect: tick 3
 * expect: no tasks left */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <stdio.h>
#include <time.h>

pausable void ticks(int n)
{
    for (int i = 1; i <= n; i++) {
        co4_sleep(2 * CO4_MS);
        printf("tick %d\n", i);
    }
}

/* The host's way to wait: here nanosleep, elsewhere poll() or the frame of a game. */
static void wait_until(int64_t deadline)
{
    int64_t ns = deadline - co4_now();
    if (deadline != CO4_NEVER && ns > 0)
        nanosleep(&(struct timespec){ ns / CO4_SEC, ns % CO4_SEC }, NULL);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    if (rt == NULL || co4_runtime_start(rt) != CO4_OK || co4_runtime_spawn(rt, ticks(3)) == NULL)
        return 1;
    while (co4_runtime_tasks(rt) > 0) {
        co4_runtime_run_once(rt); /* a step for each task that is ready */
        wait_until(co4_runtime_next_deadline(rt));
    }
    puts("no tasks left");
    return co4_runtime_destroy(rt) != CO4_OK;
}
