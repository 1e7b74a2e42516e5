/* future.c - waiting for futures. */
#include "sync/source.h"

pausable int co4_future_await_until(co4_future *future, void *out, int64_t deadline)
{
    return co4_await_until(co4_future_source(future), out, deadline);
}

pausable int co4_collector_next_until(co4_collector *collector, co4_future **future,
                                      int64_t deadline)
{
    return future ? co4_await_until(co4_collector_source(collector), future, deadline)
                  : co4__spent(CO4_EINVAL);
}

pausable int co4_collector_next(co4_collector *collector, co4_future **future)
{
    return co4_collector_next_until(collector, future, CO4_NEVER);
}

pausable int co4_future_await(co4_future *future, void *out)
{
    return co4_await(co4_future_source(future), out);
}
