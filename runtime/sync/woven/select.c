/* select.c - a select that waits, because no case was ready: pausable C, woven like any.
 *
 * Purpose: the task queues itself, adds its listeners to the sources, parks, and removes the
 * listeners, however the wait has ended. The removal is a cleanup, so it also happens when the task
 * is abandoned while it waits.
 *
 * Concurrency: from co4__park_begin on another thread may claim the task, and then wakes it exactly
 * once. So the task has to park, unless it has claimed itself. */
#include "sync/source.h"

#ifndef CO4_PLAIN

pausable int co4__select_wait(co4_case *cases, int count, int flags, int64_t deadline)
{
    __attribute__((cleanup(co4__selecting_end))) struct co4__selecting s;
    co4__selecting_init(&s);
    int err = co4__selecting_begin(&s, cases, count, flags);
    if (err != CO4_OK)
        return err;
    for (;;) {
        err = co4__park_begin(deadline, &s.waiter);
        if (err != CO4_OK)
            return err;
        err = co4__selecting_add(&s);
        if (err == CO4_OK || !co4__leave(s.waiter, NULL))
            err = co4__park();
        co4__selecting_drop(&s); /* before `chosen` is read: then it is final */
        if (err != CO4_OK)
            return err;
        if (!co4__selecting_again(&s))
            return s.chosen;
        err = co4__may_wait();
        if (err != CO4_OK) {
            co4__selecting_refuse(cases, count);
            return err;
        }
        err = co4__selecting_begin(&s, cases, count, flags);
        if (err == CO4_OK)
            err = co4__selecting_poll(&s, deadline);
        if (err != CO4_EEMPTY)
            return err;
    }
}

#endif
