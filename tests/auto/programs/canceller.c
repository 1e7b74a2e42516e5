/* canceller.c - cancels a task in each wait. What that does not end is released after it. */
#include <co4.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cancelled.h"

static pausable int one(int i)
{
    const struct wait *w = &waits[i];
    int result = -1;
    bool ended = false;
    if (w->before)
        w->before();
    co4_task *t = co4_spawn(run_wait(i));
    co4_sleep(5 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    for (int n = 0; n < 200 && !ended; n++) {
        co4_sleep(w->release ? 100 * CO4_US : CO4_MS);
        ended = co4_task_state_of(t) == CO4_TASK_STOPPED;
    }
    if (!ended && w->release)
        w->release();
    int err = co4_join(t, &result);
    printf("%s: %s, %s %s\n", w->name, ended ? "ends" : "waits", co4_strerror(err),
           result == 0           ? "0"
           : result == ECANCELED ? "ECANCELED"
                                 : strerror(result));
    return 0;
}
static pausable int all(void)
{
    hold_stream();
    for (int i = 0; waits[i].name; i++)
        one(i);
    return end_waits();
}
int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    begin_waits();
    int n = co4_run(all());
    puts(n ? "all of it works" : "something does not work");
    return 0;
}
