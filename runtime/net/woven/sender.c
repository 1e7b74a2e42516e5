/* sender.c - the task that sends the output that was left when the step of a writer ended, unless
 * another task sends it before. Pausable C alone: a thread outside tasks sends what it can at
 * once. */
#include <stdatomic.h>

#include "net/conn_calls.h"

#include "co4/runtime.h"
#include "co4/task.h"

#ifndef CO4_PLAIN

static pausable void send_rest(co4_conn *c, int direction)
{
    ssize_t n;
    do {
        CO4__CONN_WAIT(n, c, direction, CO4_NEVER);
        if (n >= 0)
            n = co4__conn_try_rest(c, &direction);
    } while (n == CO4__WOULD_WAIT || (n >= 0 && !co4__conn_sender_ends(c)));
    if (n < 0) /* closed, or cancelled: the next call that writes goes on */
        atomic_store(&c->has_sender, false);
    co4__conn_unref(c);
}

void co4__sender_start(co4_conn *c, int direction)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    co4_task *t = co4_task_create(send_rest(c, direction));
    if (!t || co4_runtime_schedule(NULL, t) != CO4_OK) {
        atomic_store(&c->has_sender, false);
        co4__conn_unref(c);
    }
    co4_task_release(t);
}

#endif
