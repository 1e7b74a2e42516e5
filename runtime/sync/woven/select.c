/* select.c - waits that go on after the wake: pausable C, woven like any.
 *
 * Purpose: the task queues itself, adds its listeners to the sources, parks, and removes the
 * listeners, however the wait has ended. The removal is a cleanup, so it also happens when the task
 * is abandoned while it waits. A build with CO4_PLAIN blocks the thread.
 *
 * Concurrency: from co4__park_begin on another thread may claim the task, and then wakes it exactly
 * once. So the task has to park, unless it has claimed itself. */
#include "sync/source.h"

pausable int co4_select_until(co4_case *cases, int count, int flags, int64_t deadline)
{
#ifdef CO4_PLAIN
    return co4__select_block(cases, count, flags, deadline);
#else
    __attribute__((cleanup(co4__selecting_end))) struct co4__selecting s;
    int err;
    co4__selecting_init(&s);
    do {
        err = co4__may_wait();
        if (err == CO4_OK)
            err = co4__selecting_begin(&s, cases, count, flags);
        else
            co4__selecting_refuse(cases, count);
        if (err != CO4_OK)
            return err;
        err = co4__selecting_poll(&s, deadline);
        if (err != CO4_EEMPTY)
            return err;
        err = co4__park_begin(deadline, &s.waiter);
        if (err != CO4_OK)
            return err;
        err = co4__selecting_add(&s);
        if (err == CO4_OK || !co4__leave(s.waiter))
            err = co4__park();
        co4__selecting_drop(&s); /* before `chosen` is read: then it is final */
    } while (err == CO4_OK && co4__selecting_again(&s));
    return err == CO4_OK ? s.chosen : err;
#endif
}

pausable int co4_select(co4_case *cases, int count)
{
    return co4_select_until(cases, count, 0, CO4_NEVER);
}

pausable int co4_await_until_sized(co4_source *source, void *out, size_t size, int64_t deadline)
{
    co4_case one = { .source = source, .out = out, .size = size };
    int result = co4_select_until(&one, 1, CO4_SELECT_IN_ORDER, deadline);
    return co4__code_of_one(&one, result);
}

pausable int co4_await_sized(co4_source *source, void *out, size_t size)
{
    return co4_await_until_sized(source, out, size, CO4_NEVER);
}
