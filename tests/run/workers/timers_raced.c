/* timers_raced.c - the monitor fires the timers of a step that lasts, also while the step itself
 * adds one: no sleep is lost. Under ThreadSanitizer the moment between is long.
 * needs: threads
 * modes: woven forced
 * expect: 120000 sleeps */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 6, SLEEPS = 20000 };

static atomic_int slept;

static pausable void sleeper(void)
{
    for (int i = 0; i < SLEEPS; i++) {
        for (int64_t now = co4_now(), until = now + 500; co4_now() < until;)
            ; /* a step that the monitor finds twice */
        co4_sleep(1 + i % 300);
        slept++;
    }
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 6, .rescue_after = 1 });
    for (int i = 0; i < TASKS; i++)
        co4_runtime_spawn(rt, sleeper());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("%d sleeps\n", slept);
    return co4_runtime_destroy(rt);
}
