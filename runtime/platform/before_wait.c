/* before_wait.c - what a thread does when the step of its task ends, and before it blocks.
 *
 * Purpose: a buffer that a task has filled is sent before the task waits (net/conn.c). The step of
 * a task ends whenever the task waits, so a worker looks there, and no call that waits has to. */
#include "platform/before_wait.h"

#include <stddef.h>

void co4__before_wait_run(void)
{
    struct co4__local *here = co4__local();
    struct co4__before_wait *newest = here->before_wait, *oldest = NULL;
    here->before_wait = NULL;
    while (newest) {
        struct co4__before_wait *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        struct co4__before_wait *next = oldest->next;
        oldest->run(oldest);
        oldest = next;
    }
}
